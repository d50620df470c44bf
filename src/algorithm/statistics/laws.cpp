#include "algorithm/statistics/laws.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/bisect.hpp"

namespace tacit::inline v1::statistics {

namespace {

// z with P(N > z) = failure.
double normal_reach(double failure) {
  const auto beyond = [&](double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)) <= failure; };
  return failure >= 0.5 ? 0 : bisect(0, 40, 1e-12, beyond).first_true;
}

// ln E e^(λZ) for noise of scale s and λ·s < 1.
double log_moment(const Step& step, double lambda) {
  if (step.mechanism == "geometric") {
    // (1 − p)²/((1 − p·e^λ)(1 − p·e^−λ)), p = e^(−1/s)
    const double p = std::exp(-1 / step.scale);
    return 2 * std::log1p(-p) - std::log1p(-p * std::exp(lambda)) - std::log1p(-p * std::exp(-lambda));
  }
  return -std::log1p(-(lambda * step.scale) * (lambda * step.scale));  // Laplace: 1/(1 − λ²s²)
}

}  // namespace

double reach(const Step& step, double failure) {
  if (step.mechanism == "gaussian") return step.scale * normal_reach(failure / 2) + step.grid / 2;
  if (step.mechanism == "geometric") {
    // P(|Z| > k) = 2p^(k+1)/(1 + p)
    const double p = std::exp(-1 / step.scale);
    return std::max(0.0, std::ceil(std::log(failure * (1 + p) / 2) / std::log(p) - 1));
  }
  return -step.scale * std::log(failure) + step.grid / 2;
}

double reach_of_sum(const Step& step, std::span<const Coefficients> sum, double failure) {
  double squares = 0, largest = 0, all = 0;
  for (const auto& [size, count] : sum) {
    if (count == 0) continue;
    squares += size * size * static_cast<double>(count);
    largest = std::max(largest, size);
    all += size * static_cast<double>(count);
  }
  if (largest == 0 || step.scale == 0) return 0;  // a plan has no noise
  const double rounding = all * step.grid / 2;
  if (step.mechanism == "gaussian") return step.scale * std::sqrt(squares) * normal_reach(failure) + rounding;
  double least = std::numeric_limits<double>::infinity();
  constexpr int tries = 200;  // any λ gives a bound
  for (int k = 1; k < tries; ++k) {
    const double lambda = k / (tries * step.scale * largest);
    double exponent = -std::log(failure);
    for (const auto& [size, count] : sum)
      exponent += static_cast<double>(count) * log_moment(step, lambda * size);
    least = std::min(least, exponent / lambda);
  }
  return least + (step.mechanism == "geometric" ? 0 : rounding);
}

Estimate estimate(double value, double reach, Interval possible) {
  const auto cut = [&](double x) { return std::clamp(x, possible.low, possible.high); };
  const double found = cut(value);
  return {found, {cut(found - reach), cut(found + reach)}};
}

}  // namespace tacit::inline v1::statistics
