#include "sampler/shells.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/interval.hpp"

namespace tacit {
namespace {

using sampler::EnvelopeConstants;

constexpr long bits = 200;
constexpr double u = unit_roundoff;

Interval real_bend(const EnvelopeConstants& c, double at) {
  const auto exactly = [](double x) { return Interval(x, bits); };
  const Interval r = exactly(at), beta = exactly(c.beta);
  const Interval first = exp(-(beta * r)) - square(exactly(c.kink) * r);
  const Interval tilted = exp(-(exactly(c.sigma) * r) - square(beta * r).times_power_of_two(-2));
  return max(exactly(0), max(first, tilted - square(exactly(c.tilted_kink) * r)));
}

// n = 60000 constants and radii, half of them where the two parts of a term all but cancel. The room between
// the real bend and its bound from below never vanishes; and what rounding takes of it is more than an eighth
// of what the bound allows for it.
TEST(Shells, TheBendIsFromBelowAndItsRoundingIsReal) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<> unit;
  double least_room = 1;
  for (int k = 0; k < 60'000; ++k) {
    const double r = std::exp2(6 * unit(random) - 3);
    EnvelopeConstants c{.beta = 2 * unit(random) / r, .sigma = 2 * unit(random) / r, .b = Vector()};
    const bool second = k % 2 == 0, near = k % 4 < 2;
    const double height =
        second ? std::exp(-c.sigma * r - 0.25 * c.beta * c.beta * r * r) : std::exp(-c.beta * r);
    const double kink = std::sqrt(height * (near ? 1 - 0x1p-40 : unit(random))) / r;
    c.kink = second ? 10 / r : kink;  // the other term is below 0
    c.tilted_kink = second ? kink : 10 / r;
    const double found = sampler::bend_below(c, r);
    const Interval room = real_bend(c, r) - found;
    ASSERT_GE(room.lower(), 0) << c.beta << " " << c.sigma << " " << c.kink << " " << r;
    if (found > 0) least_room = std::min(least_room, room.upper());
  }
  EXPECT_LT(least_room, sampler::bend_rounding - 2 * u);  // an eighth of 16u would not do
}

}  // namespace
}  // namespace tacit
