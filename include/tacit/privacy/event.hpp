#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "tacit/core/api.hpp"
#include "tacit/privacy/guarantee.hpp"

namespace tacit::inline v1 {

// What one use of a mechanism costs, in the mechanism's own terms; accountants turn events into guarantees.
// All are stated for the meter's neighbour relation.

// Any mechanism that is epsilon-DP, of which nothing else is known.
struct PureEvent {
  double epsilon = 0;
  bool operator==(const PureEvent&) const = default;
};
// Laplace noise on a number (l1 norm): epsilon = sensitivity / scale.
struct LaplaceEvent {
  double epsilon = 0;
  bool operator==(const LaplaceEvent&) const = default;
};
// Density ∝ exp(−‖b‖₂/scale) on ℝᵈ: epsilon = l2 sensitivity / scale.
struct IsotropicLaplaceEvent {
  double epsilon = 0;
  std::size_t dimension = 1;
  bool operator==(const IsotropicLaplaceEvent&) const = default;
};
// Gaussian noise: mu = l2 sensitivity / sigma. Prefix sums with correlated noise are this with their own mu.
struct GaussianEvent {
  double mu = 0;
  bool operator==(const GaussianEvent&) const = default;
};
// `steps` times: each unit joins with probability `rate`, sum clipped to norm 1, noise N(0,
// noise_multiplier²). Stated for add_remove or zero_out only.
struct PoissonGaussianEvent {
  double noise_multiplier = 0, rate = 0;
  std::uint64_t steps = 0;
  bool operator==(const PoissonGaussianEvent&) const = default;
};
// Objective perturbation with Gaussian noise [docs/gaussian_objective.md]: the loss is at most `jacobian`
// plus the largest of `far` losses of Gaussian mechanisms of this mu and `near` ones of mu/√2.
struct GaussianObjectiveEvent {
  double mu = 0, jacobian = 0;
  std::uint64_t far = 1, near = 2;
  bool operator==(const GaussianObjectiveEvent&) const = default;
};
// Exponential mechanism: the log-density ratio between neighbours has range ≤ epsilon over outputs.
struct BoundedRangeEvent {
  double epsilon = 0;
  bool operator==(const BoundedRangeEvent&) const = default;
};
// Any (epsilon, delta)-DP mechanism.
struct ApproxEvent {
  double epsilon = 0, delta = 0;
  bool operator==(const ApproxEvent&) const = default;
};
// A failure of probability delta in which anything may be revealed.
struct DeltaEvent {
  double delta = 0;
  bool operator==(const DeltaEvent&) const = default;
};
// Released as it is: allowed only where no privacy was promised.
struct OpenEvent {
  bool operator==(const OpenEvent&) const = default;
};

using Event =
    std::variant<PureEvent, LaplaceEvent, IsotropicLaplaceEvent, GaussianEvent, PoissonGaussianEvent,
                 GaussianObjectiveEvent, BoundedRangeEvent, ApproxEvent, DeltaEvent, OpenEvent>;

// Throws UsageError, naming the value and the allowed range, unless the numbers make sense.
TACIT_API void validate(const Event& event);

// Throws UsageError when what the event costs is not known for this relation.
TACIT_API void require_stated_for(const Event& event, Neighbours neighbours);

// Whether it reveals nothing at all (a sensitivity of 0, a failure of probability 0).
TACIT_API bool is_free(const Event& event);

// A few words for messages: "a Gaussian step (mu = 0.5)".
TACIT_API std::string describe(const Event& event);

}  // namespace tacit::inline v1
