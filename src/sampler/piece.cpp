#include "piece.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/core/rounding.hpp"

namespace tacit::inline v1::sampler {

namespace {

constexpr double u = unit_roundoff;
constexpr double infinity = std::numeric_limits<double>::infinity();

Piece ramp_piece(const Link& link, const Limits& limits, double y) {
  const double c = limits.slope, q = limits.curvature, p = link.parameter;
  // The same doubles as loss/limited.cpp uses: the solver and the sampler mean one function.
  const auto around_label = [&](double k, double low, double high) {
    return Piece{Piece::Kind::ramp, k, low, high, 1, -y};
  };
  const auto hinge = [&](double k) { return Piece{Piece::Kind::ramp, k, 0, std::fmin(1.0, c), -y, 1}; };
  switch (link.kind) {
    case LinkKind::squared:
      return around_label(std::fmin(1.0, q), -c, c);
    case LinkKind::huber: {
      const double weight = std::fmin(1.0, q), most = std::fmin(weight * p, c);
      return around_label(weight, -most, most);
    }
    case LinkKind::absolute:
      return around_label(q, -std::fmin(1.0, c), std::fmin(1.0, c));
    case LinkKind::pinball:
      return around_label(q, -std::fmin(p, c), std::fmin(1 - p, c));
    case LinkKind::hinge:
      return hinge(q);
    case LinkKind::smoothed_hinge:
      return hinge(std::fmin(q, 1 / p));
    default:
      return {};
  }
}

// Where weight·σ(−m) = high; −∞: nowhere.
double kink_of(const Piece& piece) {
  if (piece.high >= piece.weight) return -infinity;
  const double kappa = piece.high / piece.weight;
  return std::log1p(-kappa) - std::log(kappa);
}

double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

Rise logistic_rise(const Piece& piece, double m) {
  const double kink = kink_of(piece), c = piece.high;
  if (m <= kink && 0 <= kink) return {-c * m, 2 * u * c * std::fabs(m)};
  // Below the kink: a line that continues the function. An error in the kink itself counts only to second
  // order, as both sides have the same slope there; where κ is within a few ulps of 1 it is ≤ 4u·weight.
  const auto value = [&](double x) {
    return x >= kink ? piece.weight * softplus(-x) : piece.weight * softplus(-kink) + c * (kink - x);
  };
  const double at_kink = std::isinf(kink) ? 0 : c * std::fabs(kink);
  const double size = 3 * piece.weight + 2 * at_kink + std::fmin(piece.weight, 2 * c) * std::fabs(m);
  return {value(m) - value(0), 16 * u * size};
}

// ∫ from the offset to u of clamp(k·x, low, high) dx, with a, b the two ends clamped to the ramp.
Rise ramp_rise(const Piece& piece, double moved) {
  const double k = piece.weight, low = piece.low / k, high = piece.high / k;
  const double end = moved + piece.offset, start = piece.offset;
  const double most = std::fmax(-piece.low, piece.high);
  if (end >= high && start >= high) return {piece.high * moved, 2 * u * most * std::fabs(moved)};
  if (end <= low && start <= low) return {piece.low * moved, 2 * u * most * std::fabs(moved)};
  const double a = std::clamp(end, low, high), b = std::clamp(start, low, high);
  const double beyond =
      (end - a) * (end > a ? piece.high : piece.low) - (start - b) * (start > b ? piece.high : piece.low);
  // The rounded ends of the ramp count to second order only; k = 1 has none.
  const double corners = k == 1 ? 0 : most * (most / k);
  return {0.5 * k * (a - b) * (a + b) + beyond, 32 * u * (most * std::fabs(moved) + corners)};
}

CurvatureBound logistic_bound(const Piece& piece, double m, double score_error) {
  const double kink = kink_of(piece);
  const double log_error = 16 * u * (4 + std::fabs(std::isinf(kink) ? 0 : kink));
  const double kappa = std::isinf(kink) ? 0 : piece.high / piece.weight;
  const double kink_error = std::isinf(kink) ? 0 : log_error + 4 * u / std::fmax(1 - kappa, u);
  const double distance = m - score_error - kink - kink_error;
  if (!(distance > 0)) return {};
  const double tail = 1 / (1 + std::exp(m)), head = 1 / (1 + std::exp(-m));
  // ln φ'' has slope ≤ 1, so the score's error costs a factor ≥ 1 − score_error.
  const double curvature = piece.weight * tail * head * (1 - 32 * u) * std::fmax(0.0, 1 - score_error);
  // e^{−|t|} − e^{−T}t²/T² ≤ 0 for |t| ≥ T, and is below e^{−|t|} before.
  const double bend = std::isinf(distance) ? 0 : std::exp(-distance) / distance / distance * (1 + 32 * u);
  const double tilt = std::fmin(1.0, std::fabs(std::tanh(0.5 * m)) * (1 + 8 * u) + score_error);
  return {curvature, 1, bend, tilt};
}

CurvatureBound ramp_bound(const Piece& piece, double x, double score_error) {
  const double k = piece.weight, low = piece.low / k, high = piece.high / k;
  const double gap = std::fmin(x - low, high - x);
  const double error = score_error + 4 * u * (std::fabs(x) + std::fabs(low) + std::fabs(high));
  const double distance = (gap - error) * (1 - 4 * u);
  if (!(distance > 0)) return {};
  return {k, 0, 1 / distance / distance * (1 + 8 * u), 0};
}

}  // namespace

bool supported(const Link& link) { return link.kind != LinkKind::poisson; }

Piece piece_of(const Link& link, const LossLimits& limits, double norm, double label) {
  if (norm == 0) return {};
  const Limits own = limits_of_record(limits.slope, limits.curvature, norm);
  Piece piece = link.kind == LinkKind::logistic
                    ? Piece{Piece::Kind::logistic, std::fmin(1.0, 4 * own.curvature), 0, own.slope, label, 0}
                    : ramp_piece(link, own, label);
  piece.norm = norm;
  return piece;
}

Rise rise(const Piece& piece, double s) {
  switch (piece.kind) {
    case Piece::Kind::logistic:
      return logistic_rise(piece, piece.sign * s);
    case Piece::Kind::ramp:
      return ramp_rise(piece, piece.sign * s);
    case Piece::Kind::nothing:
      break;
  }
  return {};
}

double slope_at(const Piece& piece, double s) {
  switch (piece.kind) {
    case Piece::Kind::logistic:
      return -piece.sign * std::fmin(piece.weight / (1 + std::exp(piece.sign * s)), piece.high);
    case Piece::Kind::ramp:
      return piece.sign * std::clamp(piece.weight * (piece.sign * s + piece.offset), piece.low, piece.high);
    case Piece::Kind::nothing:
      break;
  }
  return 0;
}

CurvatureBound curvature_bound(const Piece& piece, double s, double score_error) {
  switch (piece.kind) {
    case Piece::Kind::logistic:
      return logistic_bound(piece, piece.sign * s, score_error);
    case Piece::Kind::ramp:
      return ramp_bound(piece, piece.sign * s + piece.offset, score_error);
    case Piece::Kind::nothing:
      break;
  }
  return {};
}

}  // namespace tacit::inline v1::sampler
