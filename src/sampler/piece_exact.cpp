#include "sampler/piece.hpp"

// The losses in ball arithmetic: the enclosures shrink to the value as the precision grows, also at a kink,
// where the two sides agree.

namespace tacit::inline v1::sampler {

namespace {

using noise::Ball;

// log(1 + e^x)
Ball softplus(const Ball& x, slong precision) {
  Ball result;
  arb_exp(result.get(), x.get(), precision);
  arb_log1p(result.get(), result.get(), precision);
  return result;
}

// weight·softplus(−m) above the kink, high·(kink − m) + weight·softplus(−kink) below it.
Ball logistic_value(const Piece& piece, const Ball& m, slong precision) {
  const auto curved = [&](const Ball& x) {
    Ball minus;
    arb_neg(minus.get(), x.get());
    Ball value = softplus(minus, precision);
    const Ball weight(piece.weight);
    arb_mul(value.get(), value.get(), weight.get(), precision);
    return value;
  };
  if (piece.high >= piece.weight) return curved(m);
  // kink = ln((weight − high)/high)
  Ball kink(piece.weight);
  const Ball high(piece.high);
  arb_sub(kink.get(), kink.get(), high.get(), precision);
  arb_div(kink.get(), kink.get(), high.get(), precision);
  arb_log(kink.get(), kink.get(), precision);
  if (arb_gt(m.get(), kink.get())) return curved(m);
  Ball line;
  arb_sub(line.get(), kink.get(), m.get(), precision);
  arb_mul(line.get(), line.get(), high.get(), precision);
  arb_add(line.get(), line.get(), curved(kink).get(), precision);
  if (arb_lt(m.get(), kink.get())) return line;
  Ball both;
  arb_union(both.get(), line.get(), curved(m).get(), precision);
  return both;
}

Ball clamped(const Ball& x, const Ball& low, const Ball& high, slong precision) {
  Ball result;
  arb_max(result.get(), x.get(), low.get(), precision);
  arb_min(result.get(), result.get(), high.get(), precision);
  return result;
}

// ∫ from 0 to x of clamp(k·t, low, high) dt = k·c²/2 + high·(x − upper)₊ − |low|·(lower − x)₊ with its sign,
// c = x clamped to [lower, upper] = [low/k, high/k].
Ball ramp_value(const Piece& piece, const Ball& x, slong precision) {
  const Ball k(piece.weight), slope_low(piece.low), slope_high(piece.high);
  Ball lower, upper, part;
  arb_div(lower.get(), slope_low.get(), k.get(), precision);
  arb_div(upper.get(), slope_high.get(), k.get(), precision);
  const Ball c = clamped(x, lower, upper, precision);
  Ball value;
  arb_mul(value.get(), c.get(), c.get(), precision);
  arb_mul(value.get(), value.get(), k.get(), precision);
  arb_mul_2exp_si(value.get(), value.get(), -1);
  arb_max(part.get(), x.get(), upper.get(), precision);
  arb_sub(part.get(), part.get(), upper.get(), precision);
  arb_addmul(value.get(), part.get(), slope_high.get(), precision);
  arb_min(part.get(), x.get(), lower.get(), precision);
  arb_sub(part.get(), part.get(), lower.get(), precision);
  arb_addmul(value.get(), part.get(), slope_low.get(), precision);
  return value;
}

}  // namespace

noise::Ball rise(const Piece& piece, const Ball& s, slong precision) {
  if (piece.kind == Piece::Kind::nothing) return {};
  Ball end(piece.sign), start(piece.offset);
  arb_mul(end.get(), end.get(), s.get(), precision);
  arb_add(end.get(), end.get(), start.get(), precision);
  const bool logistic = piece.kind == Piece::Kind::logistic;
  Ball value = logistic ? logistic_value(piece, end, precision) : ramp_value(piece, end, precision);
  const Ball before =
      logistic ? logistic_value(piece, start, precision) : ramp_value(piece, start, precision);
  arb_sub(value.get(), value.get(), before.get(), precision);
  return value;
}

}  // namespace tacit::inline v1::sampler
