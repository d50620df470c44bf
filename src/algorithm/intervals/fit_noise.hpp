#pragma once

#include <string>
#include <vector>

#include "tacit/data.hpp"
#include "tacit/meter.hpp"

// The law of the noise in a fit's parameters, from its certificate [docs/intervals.md].

namespace tacit::inline v1::intervals {

// Noise z on ℝᵖ whose coordinates are uncorrelated and symmetric.
class NoiseMoments {
 public:
  static NoiseMoments gaussian(double sigma);
  static NoiseMoments isotropic_laplace(double scale, std::size_t dimension);
  static NoiseMoments shaped(double scale, const FeatureBlocks& blocks);

  // E⟨u,z⟩², and E⟨u,z⟩⁴ − 3(E⟨u,z⟩²)².
  double variance(const Vector& u) const;
  double fourth_cumulant(const Vector& u) const;

 private:
  double scale_ = 0;           // of every coordinate's variance; shaped: of the density
  double excess_ = 0;          // kurtosis beyond 3 in every direction; not for shaped noise
  FeatureBlocks blocks_ = {};  // of shaped noise
};

// How a fit's noise comes into its parameters: w = w̄ + `direct`, or, up to first order, w = w̄ − H⁻¹b +
// `direct`, where b goes into the objective, whose Hessian is H.
struct FitNoise {
  std::optional<NoiseMoments> inside;
  NoiseMoments direct;
};

// For methods whose rows say where noise comes in (`Method::noise`). `steps` are those that the
// certificate of the fit alone states. VerificationError for others.
FitNoise fit_noise(const std::string& method, const Facts& options, const std::vector<Step>& steps);

}  // namespace tacit::inline v1::intervals
