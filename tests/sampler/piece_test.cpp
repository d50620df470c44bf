#include "sampler/piece.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacit {
namespace {

using sampler::Piece;
using sampler::Rise;

// |x − exact|, rounded up.
double distance(double x, const Interval& exact) { return abs(exact - x).upper(); }

// Records over many orders of magnitude, with labels near the ends of their ramps and far out, and scores
// that are tiny beside them: what a record adds must not depend on how far its label is.
class Draw {
 public:
  double between(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
  double size(double decades) { return std::pow(10, between(-decades, decades)); }
  double sign() { return random_() % 2 == 0 ? 1 : -1; }
  std::size_t below(std::size_t n) { return random_() % n; }

  Link link() {
    constexpr LinkKind kinds[] = {LinkKind::squared, LinkKind::huber, LinkKind::absolute,
                                  LinkKind::pinball, LinkKind::hinge, LinkKind::smoothed_hinge,
                                  LinkKind::logistic};
    Link link{kinds[below(7)], 0};
    if (link.kind == LinkKind::huber || link.kind == LinkKind::smoothed_hinge)
      link.parameter = below(3) == 0 ? 1 : size(3);
    if (link.kind == LinkKind::pinball) link.parameter = between(0.01, 0.99);
    return link;
  }

  double label(const Link& link, const Limits& own) {
    if (facts(link).classification) return sign();
    const double end = own.slope / std::fmin(1.0, own.curvature);  // of the ramp
    switch (below(3)) {
      case 0:
        return between(-2, 2);
      case 1:
        return sign() * size(12);
      default:
        return sign() * end *
               (below(2) == 0 ? between(0, 1) : 1 + between(-1, 1) * std::pow(10, between(-17, 0)));
    }
  }

 private:
  std::mt19937_64 random_{11};
};

TEST(Piece, RisesByWhatItSaysWhateverTheSizeOfLabelAndRow) {
  Draw draw;
  for (int k = 0; k < 20000; ++k) {
    const Link link = draw.link();
    const LossLimits limits{draw.below(3) == 0 ? 1 : draw.size(3), draw.below(3) == 0 ? 1 : draw.size(3)};
    const double norm = draw.below(4) == 0 ? 1 : draw.size(12);
    const double label = draw.label(link, limits_of_record(limits.slope, limits.curvature, norm));
    const Piece piece = sampler::piece_of(link, limits, norm, label);
    const double score = draw.below(2) == 0 ? norm * draw.between(-3, 3) : draw.sign() * norm * draw.size(9);
    const Rise rise = sampler::rise(piece, score);
    ASSERT_LE(distance(rise.value, sampler::rise(piece, Interval(score, 2000))), rise.error)
        << name(link.kind) << " label " << label << " norm " << norm << " score " << score;
  }
}

// The record of a smooth loss, ±a·y·θ near enough, must not become a step: a = 2^−27, y = 1.5·2^26.
TEST(Piece, ALargeLabelMakesNoStepOfASmoothLoss) {
  const LossLimits limits{1, 1};
  const Piece piece = sampler::piece_of(Link{LinkKind::squared, 0}, limits, 0x1p-27, 1.5 * 0x1p26);
  const double before = sampler::rise(piece, 0x1p-27 * (1 - 0x1p-10)).value,
               after = sampler::rise(piece, 0x1p-27 * (1 + 0x1p-10)).value;
  EXPECT_NEAR(after - before, -0.75 * 0x1p-9, 1e-6);
}

// φ''(s+t) against both bounds, for a logistic whose slope is limited.
TEST(Piece, LimitedLogisticBendsNoLessThanItsBounds) {
  Draw draw;
  for (int k = 0; k < 20000; ++k) {
    const Piece piece = sampler::piece_of(Link{LinkKind::logistic, 0}, {draw.between(0.05, 1.2), 1}, 1, 1);
    const double s = draw.between(-4, 8), t = draw.between(-12, 12), h = 1e-4;
    const sampler::CurvatureBound at = sampler::curvature_bound(piece, s, 0);
    if (at.curvature == 0) continue;
    const double bend = (sampler::slope_at(piece, s + t + h) - sampler::slope_at(piece, s + t - h)) / (2 * h);
    const double first = at.curvature * (std::exp(-std::fabs(t)) - at.kink * t * t);
    const double x = std::tanh(0.5 * s);
    const double second = at.curvature * (std::exp(-x * t - 0.25 * t * t) - at.tilted_kink * t * t);
    EXPECT_GE(bend, first - 1e-6) << s << ' ' << t;
    EXPECT_GE(bend, second - 1e-6) << s << ' ' << t;
  }
}

}  // namespace
}  // namespace tacit
