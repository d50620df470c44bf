#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/model.hpp"

namespace tacit::inline v1 {

// The law of the noise in a model's parameters, where its certificate tells: the parameters are those that
// were found plus noise, with independent signs and the same law in every direction.
struct NoiseLaw {
  bool gaussian = false;      // else density ∝ exp(−‖z‖₂/scale)
  double scale = 0;           // sigma of a Gaussian
  std::size_t dimension = 1;  // of z

  // t with P(|⟨g, z⟩| ≤ t) = level for any fixed g of length 1. For people to read: privacy does not rest on
  // it.
  double half_width(double level) const;
};

struct KnownNoise {
  std::optional<NoiseLaw> law;
  std::string unknown;  // why there is none
};
KnownNoise known_noise(const FittedModel& model);

// What noise alone makes of a feature that no record has, where the certificate tells: the root mean square
// of one of its parameters, for each of the `features`, the constant among them, last. Of the objective Σφᵢ +
// (Λ/2)‖w‖² + ⟨b,w⟩ such a parameter is −b_l/Λ at the minimum, whatever the records are [docs/features.md].
struct AbsentNoise {
  std::vector<double> of_features;  // empty: not known
  std::string unknown;              // why
};
AbsentNoise absent_noise(const Certificate& certificate, std::size_t features);

}  // namespace tacit::inline v1
