#include "privacy/accounting/saddle.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::inline v1::pld {

namespace {

constexpr double small = 14;  // e^−14 of delta does not matter
constexpr double least_tilt = 1e-9, most_tilt = 1e12;

// K, K' and K'' of one law. Small losses cancel in ln E e^{λL}, so the exponential less one is summed.
Cumulants of_sketch(const std::vector<SketchPoint>& sketch, double lambda) {
  double most = 0;
  for (const SketchPoint& p : sketch) most = std::max(most, lambda * p.loss + p.log_mass);
  double less_one = 0, total = 0, first = 0, second = 0;
  for (const SketchPoint& p : sketch) {
    const double weight = std::exp(lambda * p.loss + p.log_mass - most);
    if (weight == 0) continue;
    const double exponent = lambda * p.loss;
    if (most == 0)
      less_one += std::fabs(exponent) < 30 ? std::exp(p.log_mass) * std::expm1(exponent) : weight;
    total += weight;
    first += weight * p.loss;
    second += weight * p.loss * p.loss;
  }
  const double mean = first / total;
  const double log_moment =
      most == 0 && less_one > -0.5 && less_one < 0.5 ? std::log1p(less_one) : most + std::log(total);
  return {log_moment, mean, std::fmax(second / total - mean * mean, 0.0)};
}

// The point where a decreasing function of the tilt passes zero.
template <class F>
double root_in_tilt(F f) {
  double low = std::log(least_tilt), high = std::log(most_tilt);
  while (high - low > 1e-3) {
    const double middle = (low + high) / 2;
    (f(std::exp(middle)) > 0 ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

// Whether nearly all tilted mass is at the largest loss of the sketch, so that a larger tilt changes nothing.
class Saturation {
 public:
  explicit Saturation(std::span<const Part> parts) : mean_(cumulants(parts, 0).mean) {
    for (const Part& part : parts) top_ += part.count * part.sketch.back().loss;
  }
  bool operator()(double lambda, double mean) const {
    return top_ - mean < 1e-3 * (top_ - mean_) && lambda * (top_ - mean) < 0.01;
  }

 private:
  double mean_, top_ = 0;
};

}  // namespace

Cumulants cumulants(std::span<const Part> parts, double lambda) {
  Cumulants sum;
  for (const Part& part : parts) {
    const Cumulants one = of_sketch(part.sketch, lambda);
    sum.log_moment += part.count * one.log_moment;
    sum.mean += part.count * one.mean;
    sum.variance += part.count * one.variance;
  }
  return sum;
}

double tilt_for_delta(std::span<const Part> parts, double delta) {
  const Saturation saturated(parts);
  return root_in_tilt([&](double lambda) {
    const Cumulants k = cumulants(parts, lambda);
    if (saturated(lambda, k.mean)) return -1.0;
    // delta ≈ e^{K − λ K'} / ((1+λ) (1 + λ sqrt(2π K''))) at epsilon = K'.
    const double prefactor = std::log1p(lambda) + std::log1p(lambda * std::sqrt(2 * M_PI * k.variance));
    return k.log_moment - lambda * k.mean - prefactor - std::log(delta);
  });
}

double tilt_for_epsilon(std::span<const Part> parts, double epsilon) {
  const Saturation saturated(parts);
  return root_in_tilt([&](double lambda) {
    const double mean = cumulants(parts, lambda).mean;
    return saturated(lambda, mean) ? -1.0 : epsilon - mean;
  });
}

namespace {

Window window_of(std::span<const Part> parts, const Aim& aim) {
  const Cumulants at = cumulants(parts, aim.lambda);
  const double outside = small - std::fmin(aim.log_signal, 0.0);
  // s minimises (K(λ+s) − K(λ) + outside)/s where s K'(λ+s) − (K(λ+s) − K(λ)) = outside.
  const auto excess = [&](double s) {
    const Cumulants k = cumulants(parts, aim.lambda + s);
    return outside - (s * k.mean - (k.log_moment - at.log_moment));
  };
  const auto edge = [&](double s) {
    return (cumulants(parts, aim.lambda + s).log_moment - at.log_moment + outside) / s;
  };
  Window w;
  // A bounded loss would call for ever larger tilts; this one leaves half a standard deviation beyond its
  // end.
  const double most = 2 * outside / std::sqrt(at.variance + 1e-300);
  w.upper_tilt = std::fmin(root_in_tilt(excess), most);
  w.lower_tilt = std::fmin(root_in_tilt([&](double s) { return excess(-s); }), most);
  const double high = edge(w.upper_tilt), lowest = edge(-w.lower_tilt);
  const double margin = 0.7 * std::sqrt(at.variance) + 0.1 * std::fabs(aim.epsilon);
  const double low = aim.epsilon - margin;
  const double width = margin + std::fmax(high - aim.epsilon, (small - aim.log_delta) / aim.lambda);
  w.low = std::fmin(low, lowest);
  w.width = std::fmax(high - w.low, 1e-300);
  // Seeing all of it is safer where it costs little: epsilon may be far below what was aimed at.
  if (low > lowest && width < 0.7 * w.width) {
    w.low = low;
    w.width = width;
  }
  return w;
}

}  // namespace

Aim aim_with(std::span<const Part> parts, double lambda, double epsilon, double log_delta) {
  const double log_signal =
      log_delta + lambda * epsilon + std::log1p(lambda) - cumulants(parts, lambda).log_moment;
  Aim aim{.lambda = lambda,
          .epsilon = epsilon,
          .log_delta = log_delta,
          .log_signal = log_signal,
          .slope = lambda};
  aim.window = window_of(parts, aim);
  return aim;
}

}  // namespace tacit::inline v1::pld
