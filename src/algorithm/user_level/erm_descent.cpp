#include <cmath>

#include "algorithm/heavy_tails/ball_smoothing.hpp"
#include "algorithm/user_level/records.hpp"
#include "algorithm/user_level/user_erm.hpp"
#include "core/log_gamma.hpp"

// How user-erm moves. All of it follows from public values and what was released [heuristic: utility only].

namespace tacit::inline v1::user_level {

namespace {

constexpr double phase_growth = 8;  // λ_{i+1}/λ_i = 2^p with the paper's p ≥ 2.5

// The density at 0 of one coordinate of a point drawn from the unit ball of R^p.
double central_density(double p) {
  return std::exp(log_gamma(p / 2 + 1) - log_gamma((p + 1) / 2)) / std::sqrt(M_PI);
}

}  // namespace

// A kink that is smoothed by a ball of radius s has a curvature of c/s and a bias of at most s·c/(p + 1), in
// units of its steepest gradient, c the density of a coordinate at 0; T accelerated steps leave 4(c/s)R²/T².
// This s makes the sum least [docs/user_erm.md].
double smoothing_of(const Shape& shape, const ErmOptions& options) {
  if (options.smoothing) return *options.smoothing;
  return 2 * options.radius * std::sqrt(static_cast<double>(shape.parameters()) + 1) /
         static_cast<double>(options.iterations);
}

double smoothness_of(const Shape& shape, const ErmOptions& options) {
  if (options.smoothness) return *options.smoothness;
  const double row = options.row_bound.value_or(std::sqrt(static_cast<double>(shape.features)));
  if (heavy_tails::has_one_kink(shape.loss))
    return central_density(static_cast<double>(shape.parameters())) / smoothing_of(shape, options) *
           (options.clip_norm ? row / *options.clip_norm : 1);
  const auto* link = std::get_if<Link>(&shape.loss);
  double curvature = link ? facts(*link).curvature : 0.5;
  if (!std::isfinite(curvature)) curvature = 1;
  return options.clip_norm ? curvature * row * row / *options.clip_norm : curvature * row / auto_threshold;
}

Descents::Descents(const Shape& shape, const ErmOptions& options)
    : options_(options),
      parameters_(static_cast<double>(shape.parameters())),
      smoothness_(smoothness_of(shape, options)),
      radius_(options.radius) {}

Descent Descents::next(const ErmPhase& phase, double tau, double sigma) {
  const double m = static_cast<double>(options_.records_per_user), M = options_.strong_convexity;
  // What sampling and noise leave, per unit of distance: λR² balances it, rate·R  [Thm C.3].
  const double noise = std::sqrt(parameters_ / static_cast<double>(options_.iterations)) * sigma;
  const double rate = 1 / std::sqrt(static_cast<double>(phase.users) * m) + noise;
  const bool first = lambda_ == 0;
  if (first || M > 0)
    lambda_ = options_.regularisation && first ? *options_.regularisation : rate / radius_;
  else
    lambda_ *= phase_growth;
  Descent descent{.regularisation = lambda_, .radius = std::min(2 * radius_, 1 / lambda_), .facts = {}};
  descent.facts = {.smoothness = smoothness_ + lambda_ + M,
                   .strong_convexity = lambda_ + M,
                   .variance = parameters_ * sigma * sigma + tau * tau / static_cast<double>(phase.batch),
                   .gap = std::min(radius_, descent.radius)};
  // Within M-strong convexity a point of that risk is so near the minimiser [FKT20, Sec. 5.1].
  if (M > 0) radius_ = std::min(radius_, std::sqrt(8 * rate * radius_ / M));
  return descent;
}

}  // namespace tacit::inline v1::user_level
