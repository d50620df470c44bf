#include "sampler/mixing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/log_gamma.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

namespace {

constexpr double pi = std::numbers::pi;

double as_double(std::size_t count) { return static_cast<double>(count); }

// h·M = min((κL)^{−1/2}, 1/d), L = ln(β₀/ξ).
double step_size(double smoothness, double condition, double d, double log_ratio) {
  return std::min(1 / std::sqrt(condition * log_ratio), 1 / d) / smoothness;
}

}  // namespace

double log_ball_volume(std::size_t dimension, double radius) {
  const double d = as_double(dimension);
  return d / 2 * std::log(pi) - log_gamma(d / 2 + 1) + d * std::log(radius);
}

double lipschitz_range(double lipschitz, double radius) { return 2 * radius * lipschitz; }

double smooth_range(double gradient, double smoothness, double radius) {
  return 2 * radius * gradient + 2 * smoothness * radius * radius;
}

double log_density_floor(std::size_t dimension, double radius, double range) {
  return -range - log_ball_volume(dimension, radius);
}

// A ball of radius Δ/2 between two points of the domain has at least half of its volume in it, and so a mass
// of at least p_min·Vol(Δ/2)/2.
double log_total_variation(double log_density_floor, std::size_t dimension, double distance, Norm norm) {
  if (norm != Norm::l1 && norm != Norm::l2)
    throw_error<UsageError>("the distance is in another norm than l1 or l2");
  // ‖x‖₁ ≤ √d‖x‖₂
  const double l2 = norm == Norm::l1 ? distance / std::sqrt(as_double(dimension)) : distance;
  return log_density_floor + log_ball_volume(dimension, l2 / 2) - std::log(2);
}

// Outside over inside ≤ √(2π/m)·e^{g'²/(2m)}·(g + d/B), g' = g + (d−1)/B.
double log_mass_floor(std::size_t dimension, double radius, double lipschitz, double strength) {
  const double d = as_double(dimension), outward = lipschitz + (d - 1) / radius;
  const double log_odds = 0.5 * std::log(2 * pi / strength) + outward * outward / (2 * strength) +
                          std::log(lipschitz + d / radius);
  return log_odds > 0 ? -log_odds - std::log1p(std::exp(-log_odds)) : -std::log1p(std::exp(log_odds));
}

// K = L·max(κ^{3/2}√L, dκ)
Mixing mixing(double smoothness, double strength, std::size_t dimension, double log_ratio) {
  const double d = as_double(dimension), condition = smoothness / strength;
  return {step_size(smoothness, condition, d, log_ratio),
          std::ceil(log_ratio * std::max(std::pow(condition, 1.5) * std::sqrt(log_ratio), d * condition))};
}

Mixing mixing_within(double smoothness, double strength, std::size_t dimension, double steps) {
  const double d = as_double(dimension), condition = smoothness / strength;
  const double log_ratio = std::min(std::pow(steps, 2.0 / 3) / condition, steps / (d * condition));
  return {step_size(smoothness, condition, d, log_ratio), steps};
}

}  // namespace tacit::inline v1::sampler
