#include "algorithm/clipping/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tacit/core.hpp"

namespace tacit::inline v1::clipping {

namespace {

void require_positive(const char* what, double value) {
  if (!(value > 0 && std::isfinite(value)))
    throw_error<UsageError>("{} is {}, expected a finite number > 0", what, value);
}

// √(1/T + φ²)
double rate_scale(const ConvexRun& run) {
  require_positive("the number of steps", run.steps);
  require_positive("the step scale", run.step_scale);
  if (!(run.noise_cost >= 0)) throw_error<UsageError>("phi is {}, expected >= 0", run.noise_cost);
  return std::sqrt(1 / run.steps + run.noise_cost * run.noise_cost);
}

}  // namespace

double noise_cost(std::size_t parameters, double noise_multiplier, double batch, double steps) {
  require_positive("the expected batch", batch);
  require_positive("the number of steps", steps);
  return std::sqrt(static_cast<double>(parameters)) * noise_multiplier / (batch * std::sqrt(steps));
}

double interpolation_gap(std::span<const double> gaps_at_minimiser) {
  if (gaps_at_minimiser.empty()) return 0;
  return std::accumulate(gaps_at_minimiser.begin(), gaps_at_minimiser.end(), 0.0) /
         static_cast<double>(gaps_at_minimiser.size());
}

double progress_ratio(std::span<const double> gaps, std::span<const double> lipschitz, double clip_norm) {
  if (gaps.size() != lipschitz.size() || gaps.empty())
    throw_error<UsageError>("there are {} gaps and {} Lipschitz constants, expected one each", gaps.size(),
                            lipschitz.size());
  const auto [least, largest] = std::ranges::minmax(lipschitz);
  require_positive("the least Lipschitz constant", least);
  if (!(clip_norm > 0 && clip_norm <= largest))
    throw_error<UsageError>("the clip norm is {}, expected > 0 and at most {}", clip_norm, largest);
  double clipped = 0, whole = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    clipped += std::min(1 / clip_norm, 1 / lipschitz[i]) * gaps[i];
    whole += gaps[i] / largest;
  }
  return whole > 0 ? clipped / whole : std::numeric_limits<double>::infinity();
}

double learning_rate(const ConvexRun& run, double clip_norm) {
  require_positive("the clip norm", clip_norm);
  return run.step_scale / (run.steps * clip_norm * rate_scale(run));
}

double risk_bound(const ConvexRun& run, double clip_norm, double alpha) {
  require_positive("the clip norm", clip_norm);
  require_positive("alpha", alpha);
  const double optimisation = (run.distance * run.distance / (2 * run.step_scale) + run.step_scale) *
                              run.largest_lipschitz * rate_scale(run);
  const double clipping = (run.largest_lipschitz / (clip_norm * alpha) - 1) * run.interpolation_gap;
  return optimisation / alpha + clipping;
}

}  // namespace tacit::inline v1::clipping
