#include "loss/limited.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/widest.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

TACIT_WIDEST double norm_of(const RowView& row, double intercept) {
  // Eight sums and maxima side by side, which the compiler keeps in vector registers.
  constexpr std::size_t lanes = 8;
  double largest[lanes] = {std::fabs(intercept)}, sum[lanes] = {intercept * intercept};
  const auto take = [&](std::size_t lane, double value) {
    const double size = std::fabs(value);  // finite, as all stored values are
    largest[lane] = size > largest[lane] ? size : largest[lane];
    sum[lane] += value * value;
  };
  std::size_t k = 0;
  for (; k + lanes <= row.size; k += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) take(lane, row.values[k + lane]);
  for (std::size_t lane = 0; k < row.size; ++k, ++lane) take(lane, row.values[k]);
  const double most = *std::max_element(largest, largest + lanes);
  if (!(most >= smallest_row_entry && most <= largest_row_entry)) return 0;
  const double squares = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  // In any order the sum is within gamma_{size+1} of the real one; squares that underflow are below 2^-1074
  // each, far under one ulp of the largest square, and count as one more rounding.
  return mul_up(sqrt_up(squares), add_up(1.0, gamma_bound(2 * row.size + 4)));
}

}  // namespace

double row_norm(const RowView& row, double intercept) { return norm_of(row, intercept); }

Limits limits_of_record(double slope_limit, double curvature_limit, double norm) {
  return limits_of_record(slope_limit, curvature_limit, norm, norm);
}

Limits limits_of_record(double slope_limit, double curvature_limit, double gauge, double norm) {
  return {.slope = div_down(slope_limit, gauge), .curvature = div_down(curvature_limit, mul_up(norm, norm))};
}

namespace {

// A function whose derivative is clamp(k·u, lo, hi), lo ≤ 0 ≤ hi, and which is 0 at u = 0. k may be infinite.
LinkPoint ramp(double u, double k, double lo, double hi) {
  const double slope = std::isinf(k) ? (u > 0 ? hi : u < 0 ? lo : 0.0) : std::clamp(k * u, lo, hi);
  if (slope > lo && slope < hi && !std::isinf(k)) return {0.5 * k * u * u, slope, k};
  return {slope * u - 0.5 * slope * (slope / k), slope, 0.0};
}

LinkPoint limited_logistic(const Limits& limits, double margin) {
  const double weight = std::fmin(1.0, 4 * limits.curvature);  // sup φ'' = ¼
  const double tail = 1 / (1 + std::exp(margin));              // σ(−m)
  const double pull = weight * tail;
  if (pull < limits.slope) {
    const double softplus =
        margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
    return {weight * softplus, -pull, pull * (1 - tail)};
  }
  // Beyond the margin m₀ where weight·σ(−m₀) = c the function goes on with slope −c.
  const double kappa = limits.slope / weight;
  const double kink = std::log1p(-kappa) - std::log(kappa);
  const double at_kink = kink > 0 ? std::log1p(std::exp(-kink)) : std::log1p(std::exp(kink)) - kink;
  return {weight * at_kink + limits.slope * (kink - margin), -limits.slope, 0.0};
}

// ψ(s) = e^s − y up to e^s = q, continued with slope q, clamped to ±c.
LinkPoint limited_poisson(const Limits& limits, double s, double y) {
  const double c = limits.slope, q = limits.curvature, log_q = std::log(q);
  // Where y ≥ q + c the exponential part is clamped away, and what is left is a ramp around its zero.
  if (y >= q + c) {
    const double zero = log_q + y / q - 1;
    return ramp(s - zero, q, -c, c);
  }
  // Antiderivative of the unclamped ψ, and the points where ψ = ±c.
  const auto value = [&](double t) {
    return t <= log_q ? std::exp(t) - y * t : q + q * (t - log_q) * (1 + (t - log_q) / 2) - y * t;
  };
  const auto inverse = [&](double v) { return v <= q ? std::log(v) : log_q + v / q - 1; };
  const double first = s <= log_q ? std::exp(s) - y : q * (1 + (s - log_q)) - y;
  if (first >= c) return {value(inverse(y + c)) + c * (s - inverse(y + c)), c, 0.0};
  if (first <= -c) return {value(inverse(y - c)) - c * (s - inverse(y - c)), -c, 0.0};
  return {value(s), first, s <= log_q ? std::exp(s) : q};
}

}  // namespace

LinkPoint evaluate(const Link& link, const Limits& limits, double s, double y) {
  const double c = limits.slope, q = limits.curvature, p = link.parameter;
  // A hinge as a function of u = 1 − ys: derivative clamp(k·u, 0, hi) in u, so −y times that in s.
  const auto hinge = [&](double k) {
    LinkPoint at = ramp(1 - y * s, k, 0, std::fmin(1.0, c));
    at.first *= -y;
    return at;
  };
  switch (link.kind) {
    case LinkKind::squared:
      return ramp(s - y, std::fmin(1.0, q), -c, c);
    case LinkKind::huber: {
      const double weight = std::fmin(1.0, q), most = std::fmin(weight * p, c);
      return ramp(s - y, weight, -most, most);
    }
    case LinkKind::absolute:
      return ramp(s - y, q, -std::fmin(1.0, c), std::fmin(1.0, c));
    case LinkKind::pinball:
      return ramp(s - y, q, -std::fmin(p, c), std::fmin(1 - p, c));
    case LinkKind::logistic: {
      LinkPoint at = limited_logistic(limits, y * s);
      at.first *= y;
      return at;
    }
    case LinkKind::hinge:
      return hinge(q);
    case LinkKind::smoothed_hinge:
      return hinge(std::fmin(q, 1 / p));
    case LinkKind::poisson:
      return limited_poisson(limits, s, y);
  }
  return {};
}

LinkSlope slope(const Link& link, const Limits& limits, double s, double y) {
  if (link.kind == LinkKind::logistic) {
    const double weight = std::fmin(1.0, 4 * limits.curvature);
    const double tail = 1 / (1 + std::exp(y * s));
    const double pull = weight * tail;
    return pull < limits.slope ? LinkSlope{-y * pull, pull * (1 - tail)} : LinkSlope{-y * limits.slope, 0.0};
  }
  const LinkPoint at = evaluate(link, limits, s, y);
  return {at.first, at.second};
}

double slope_rounding(const Link& link, double slope_limit, double curvature_limit, double label_bound) {
  // Every link but Poisson computes φ' by at most eight rounded operations or library calls without
  // cancellation (a difference of two doubles is exact to one rounding), so with a relative error, and the
  // clamp keeps |φ'| ≤ c: ‖a‖·error ≤ 16u·C.
  if (link.kind != LinkKind::poisson) return mul_up(16 * unit_roundoff, slope_limit);
  // Poisson subtracts y from e^s or from the line. Where that is not clamped, both are at most y + c, and the
  // line's argument carries |ln q| ≤ 512 + |ln Q|. With y‖a‖ ≤ Q + Y + C there (docs/limited_loss.md):
  const double logs = add_up(512.0, std::fabs(std::log(curvature_limit)));
  const double sizes = add_up(add_up(curvature_limit, label_bound), 2 * slope_limit);
  return mul_up(mul_up(32 * unit_roundoff, logs), sizes);
}

}  // namespace tacit::inline v1
