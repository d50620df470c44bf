#include "audit/replay/tuning_checks.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/tuning.hpp"

namespace tacit::inline v1::audit {

namespace {

// f(p) = E[p^K] has slope ∝ 1/(1 − (1−γ)p) for the logarithmic law. The largest log-ratio, over a grid,
// between the slopes at two probabilities whose complements are within e^run of each other: what choosing
// adds to a run.
double cost_of_choosing(double gamma, double run) {
  const auto slope = [&](double complement) { return 1 / (gamma + (1 - gamma) * complement); };
  double worst = 0;
  for (double complement = 1; complement > 1e-15; complement /= 1.1)
    worst = std::max(worst, std::log(slope(complement * std::exp(-run)) / slope(complement)));
  return worst;
}

}  // namespace

std::vector<Check> tuning_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  if (certificate.steps.size() != 1 || certificate.steps[0].mechanism != "private-tuning")
    return {{CheckKind::outcome, "the one step is a private choice", "", 0, 1}};
  const double half = std::get<PureEvent>(certificate.steps[0].event).epsilon / 2;
  const double gamma = tuning::stopping_parameter(certificate.options.number("mean_runs"));
  return {{CheckKind::ideal, "step 1 (private-tuning): what choosing the best adds, within half of epsilon",
           "", half, cost_of_choosing(gamma, half)}};
}

}  // namespace tacit::inline v1::audit
