#pragma once

#include "core/interval.hpp"
#include "loss/limited.hpp"
#include "solver/limited_objective.hpp"
#include "tacit/loss.hpp"

// One record's limited loss as the sampler needs it: exactly, as a real function with double parameters
// [docs/posterior_exact.md, "The losses"].

namespace tacit::inline v1::sampler {

// φ(s) = f(sign·s + offset) with f' = −min(weight·σ(−m), high) (logistic, m its argument), or
// f' = clamp(weight·u, low, high) (ramp: squared, Huber, absolute, pinball and the hinges, limited). Softmax
// is a function of several scores: softmax_piece.hpp.
struct Piece {
  enum class Kind { nothing, logistic, ramp, softmax } kind = Kind::nothing;
  double weight = 0, low = 0, high = 0;
  double sign = 1, offset = 0;
  double norm = 0;  // an upper bound of ‖a‖
};

// What the proof of the envelope uses of a record at a score s: for every t
//   φ''(s+t) ≥ curvature·(e^{−decay·|t|} − kink·t²),   and   ≥ 0.
// With decay = 1 also φ''(s+t) ≥ curvature·(exp(−x·t − t²/4) − tilted_kink·t²) for some |x| ≤ tilt.
struct CurvatureBound {
  double curvature = 0, decay = 0, kink = 0, tilt = 0, tilted_kink = 0;
};

bool supported(const Link& link);
// `norm` = row_norm(); 0 makes a piece that contributes nothing.
Piece piece_of(const Link& link, const LossLimits& limits, double norm, double label);

// φ(s) − φ(0), and a bound on its rounding error at the same double s.
struct Rise {
  double value = 0, error = 0;
};
Rise rise(const Piece& piece, double s);
Interval rise(const Piece& piece, const Interval& s);

double slope_at(const Piece& piece, double s);  // φ'(s)

// Holds at every real within `score_error` of s.
CurvatureBound curvature_bound(const Piece& piece, double s, double score_error);

}  // namespace tacit::inline v1::sampler
