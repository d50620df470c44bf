#include "sampler/piece.hpp"

// The losses in interval arithmetic: the enclosures shrink to the value as the precision grows, also at a
// kink, where the two sides agree.

namespace tacit::inline v1::sampler {

namespace {

// log(1 + e^x) = max(x, 0) + log(1 + e^−|x|), which cannot overflow.
Interval softplus(const Interval& x) { return max(x, Interval(0)) + log1p(exp(-abs(x))); }

// weight·softplus(−m) above the kink, high·(kink − m) + weight·softplus(−kink) below it.
Interval logistic_value(const Piece& piece, const Interval& m) {
  const auto curved = [&](const Interval& x) { return softplus(-x) * piece.weight; };
  if (piece.high >= piece.weight) return curved(m);
  const Interval high(piece.high, m.bits());
  const Interval kink = log((Interval(piece.weight, m.bits()) - high) / high);
  if (m > kink) return curved(m);
  const Interval line = (kink - m) * high + curved(kink);
  return m < kink ? line : hull(line, curved(m));
}

// ∫ from 0 to x of clamp(k·t, low, high) dt = k·c²/2 + high·(x − upper)₊ − |low|·(lower − x)₊ with its sign,
// c = x clamped to [lower, upper] = [low/k, high/k].
Interval ramp_value(const Piece& piece, const Interval& x) {
  const Interval lower = Interval(piece.low, x.bits()) / piece.weight,
                 upper = Interval(piece.high, x.bits()) / piece.weight;
  const Interval c = min(max(x, lower), upper);
  return (square(c) * piece.weight).times_power_of_two(-1) + (max(x, upper) - upper) * piece.high +
         (min(x, lower) - lower) * piece.low;
}

}  // namespace

Interval rise(const Piece& piece, const Interval& s) {
  if (piece.kind == Piece::Kind::nothing) return Interval(0, s.bits());
  const Interval start(piece.offset, s.bits()), end = s * piece.sign + start;
  if (piece.kind == Piece::Kind::logistic) return logistic_value(piece, end) - logistic_value(piece, start);
  return ramp_value(piece, end) - ramp_value(piece, start);
}

}  // namespace tacit::inline v1::sampler
