#include "tacit/core.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

namespace tacit {
namespace {

TEST(Decimal, BoundsWhatItShows) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int k = 0; k < 20000; ++k) {
    const double x = (k % 2 == 0 ? 1 : -1) * std::pow(10.0, exponent(bits));
    for (const int digits : {3, 6}) {
      const double up = std::strtod(decimal_up(x, digits).c_str(), nullptr);
      const double down = std::strtod(decimal_down(x, digits).c_str(), nullptr);
      EXPECT_GE(up, x);
      EXPECT_LE(down, x);
      EXPECT_LE(up - down, 1.0001 * std::pow(10.0, 1 - digits) * std::fabs(x)) << x;
    }
  }
}

TEST(Decimal, KeepsWhatNeedsNoRounding) {
  EXPECT_EQ(decimal_up(0.5, 6), "0.5");
  EXPECT_EQ(decimal_down(0.5, 6), "0.5");
  EXPECT_EQ(decimal_up(0, 6), "0");
  EXPECT_EQ(decimal_up(INFINITY, 6), "inf");
  EXPECT_EQ(decimal_up(18.39672214214307, 6), "18.3968");
  EXPECT_EQ(decimal_down(18.39672214214307, 6), "18.3967");
  EXPECT_EQ(decimal_up(9.9999999, 3), "10");
  EXPECT_EQ(decimal_down(9.9999999, 3), "9.99");
}

TEST(Decimal, TakesDigitsThatMakeNoSenseForTheNearestOnesThatDo) {
  EXPECT_EQ(decimal_up(1.5, -3), decimal_up(1.5, 1));
  EXPECT_EQ(decimal_down(1.5, 0), decimal_down(1.5, 1));
  EXPECT_EQ(decimal_up(0.1, 99), decimal_up(0.1, 17));
}

}  // namespace
}  // namespace tacit
