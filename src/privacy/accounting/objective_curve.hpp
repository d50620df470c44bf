#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/numbers.hpp"
#include "tacit/account.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::pld {

// One Gaussian objective perturbation beside few steps that are pure, and failures: delta(epsilon) in closed
// form [docs/gaussian_objective.md, "In closed form"].
class ObjectiveCurve {
 public:
  // Nothing where the events are others.
  static std::optional<ObjectiveCurve> of(std::span<const Event> events);

  // Where it is charged: where the perturbation is alone, and where epsilon is small beside mu, which grids
  // do not resolve in any time. Elsewhere they are within 1e-3 of it.
  bool charged_at(double epsilon) const;

  Bracket epsilon(double delta) const;
  DeltaBracket delta(double epsilon) const;

 private:
  double objective_delta(double epsilon) const;  // of the perturbation alone; rounded up, epsilon may be < 0
  double sum_of_corners(double rest) const;  // far HS_rest(mu) + near HS_rest(mu/√2); rounded up, rest >= 0
  double tail(double loss) const;            // P(L > loss) is at most this, about

  explicit ObjectiveCurve(const GaussianObjectiveEvent& event);
  void join(double epsilon);  // a pure step beside what is there

  GaussianObjectiveEvent event_;
  double near_mu_ = 0;
  double start_ = 0, at_start_ = 0;  // a loss from which on the tail is below 1; delta there
  std::vector<std::pair<double, double>> beside_{{0, 1}};  // losses of the other steps, and their mass
  double greatest_beside_ = 0, least_beside_ = infinity;   // the sum of their epsilons, and the least of them
  double failure_ = 0;
  bool alone_ = true;
};

}  // namespace tacit::inline v1::pld
