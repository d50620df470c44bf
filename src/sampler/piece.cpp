#include "sampler/piece.hpp"

#include <algorithm>
#include <cmath>

#include "core/numbers.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

namespace {

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

// ∫ from 0 to `moved` of clamp(k·(offset + t), low, high) dt, cut where the ramp begins and ends. Every part
// is a slope of at most `most` times a length of at most |moved|, each to a few ulps: offset + moved is never
// formed, which would lose a small `moved` beside a large label.
Rise ramp_rise(const Piece& piece, double moved) {
  const double k = piece.weight, start = piece.offset;
  const double from = std::fmin(0.0, moved), to = std::fmax(0.0, moved);
  const double enter = std::clamp(piece.low / k - start, from, to);
  const double leave = std::clamp(piece.high / k - start, enter, to);
  const double mean = std::clamp(k * (start + 0.5 * (enter + leave)), piece.low, piece.high);
  const double sum = piece.low * (enter - from) + mean * (leave - enter) + piece.high * (to - leave);
  const double most = std::fmax(-piece.low, piece.high);
  return {moved < 0 ? -sum : sum, 32 * u * most * std::fabs(moved)};
}

double tilt_of(double m, double score_error) {
  return std::fmin(1.0, std::fabs(std::tanh(0.5 * m)) * (1 + 8 * u) + score_error);
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
  if (std::isinf(distance)) return {curvature, 1, 0, tilt_of(m, score_error), 0};
  // Past the kink, at t ≤ −T, φ'' is 0. There e^{−|t|} ≤ e^{−T}t²/T², and exp(−xt − t²/4)/t² falls with |t|
  // for x ≤ 1 (its logarithm has the slope x − |t|/2 − 2/|t| ≤ x − 2), so that it is largest at −T.
  const double square = distance * distance * (1 - 4 * u);
  const double x = std::tanh(0.5 * m) + 8 * u + score_error;
  const double bend = std::exp(-distance) / square * (1 + 32 * u);
  const double steep = std::exp(std::fmin(x, 1.0) * distance - 0.25 * square) / square;
  return {curvature, 1, bend, tilt_of(m, score_error), steep * (1 + 64 * u * (1 + square))};
}

CurvatureBound ramp_bound(const Piece& piece, double x, double score_error) {
  const double k = piece.weight, low = piece.low / k, high = piece.high / k;
  const double gap = std::fmin(x - low, high - x);
  const double error = score_error + 4 * u * (std::fabs(x) + std::fabs(low) + std::fabs(high));
  const double distance = (gap - error) * (1 - 4 * u);
  if (!(distance > 0)) return {};
  const double kink = 1 / distance / distance * (1 + 8 * u);
  return {k, 0, kink, 0, kink};
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
    case Piece::Kind::softmax:  // of several scores: softmax_piece.hpp
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
    case Piece::Kind::softmax:  // of several scores: softmax_piece.hpp
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
    case Piece::Kind::softmax:  // of several scores: softmax_piece.hpp
    case Piece::Kind::nothing:
      break;
  }
  return {};
}

}  // namespace tacit::inline v1::sampler
