#pragma once

// Confidence intervals of a fit's coefficients [ours, docs/intervals.md].
//
// Solves      how far the released parameters are likely to be from those of the minimiser without noise, and
//             from those of the population, the minimiser for infinitely many such records.
// Assumes     for coverage: many independent records, and noise that moves the minimiser by little. For
//             privacy: nothing.
// Guarantees  what is stated for its one step: two sums over records, at the released parameters, each
//             record's part limited, leave through isotropic Laplace or Gaussian noise. The rest is
//             post-processing.

#include <optional>
#include <string>
#include <vector>

#include "algorithm/intervals/fit_noise.hpp"
#include "solver/limited_objective.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::intervals {

// The fit that the intervals are for, as its own certificate states it.
struct Fit {
  std::string method;
  Facts options, assumed_public;
  std::vector<Step> steps;
  Neighbours neighbours = Neighbours::zero_out;
};

// Everything about the release, from public values alone.
struct Plan {
  LossLimits limits;
  double label_bound = 0;  // 0: none is stated
  double strength = 0;     // nλ
  std::size_t features = 0;
  double range = 0;  // of every number
  Step step;         // costs what was set aside
};
// `cost` is Pure, Approx or Gaussian. VerificationError or UsageError for facts that no such fit states.
TACIT_API Plan plan(const Fit& fit, const Guarantee& cost);

// Why there are no intervals by this method, whatever the problem; and for this problem. Empty when there
// are. `options` is what the method is given. From public values alone: refused before anything is charged.
TACIT_API std::string why_not(const std::string& method);
TACIT_API std::string why_not(const std::string& method, const Shape& shape, const Facts& options);
inline constexpr std::size_t most_parameters = 256;  // the released sums grow with its square

// What is released of the records at the parameters w.
TACIT_API Released<Vector> release(const Plan& plan, const Problem& problem, const Vector& w,
                                   unsigned threads, Meter& meter);

// What was released, ready to tell how sure any combination ⟨g, w⟩ of the parameters is.
class TACIT_API Widths {
 public:
  Widths(const Plan& plan, const Fit& fit, const Vector& released);

  // Half of its interval: around that of the minimiser without noise, and around the population's.
  double minimiser(const Vector& g, double level) const;
  double population(const Vector& g, double level) const;
  // Directions in which noise hides the Hessian, so that widths are the widest that the penalty allows.
  std::size_t hidden() const { return hidden_; }

 private:
  Matrix inverse_;    // of the Hessian
  Matrix variation_;  // G, and the deviation of the noise in it
  double variation_deviation_ = 0;
  FitNoise noise_;
  std::size_t hidden_ = 0;
};

// The same, parameter by parameter.
struct HalfWidths {
  Vector population;  // around the population's parameters
  Vector minimiser;   // around those of the minimiser without noise
};
TACIT_API HalfWidths half_widths(const Plan& plan, const Fit& fit, const Vector& released, double level);

}  // namespace tacit::inline v1::intervals
