#include "tacit/core.hpp"

#include <gtest/gtest.h>

namespace tacit {
namespace {

TEST(Rounding, DirectedResultsEncloseTheRealSum) {
  EXPECT_GT(add_up(1.0, 0x1p-60), 1.0);
  EXPECT_LT(add_down(1.0, -0x1p-60), 1.0);
}

TEST(Rounding, GammaIsAboveItsFormula) {
  EXPECT_GE(gamma_bound(1000), 1000 * 0x1p-53);
  EXPECT_LT(gamma_bound(1000), 1001 * 0x1p-53);
}

TEST(Rounding, BlockedDepthIsBlockPlusLevels) {
  EXPECT_EQ(blocked_sum_depth(10, 128), 10u);
  EXPECT_EQ(blocked_sum_depth(128, 128), 128u);
  EXPECT_EQ(blocked_sum_depth(129, 128), 129u);
  EXPECT_EQ(blocked_sum_depth(1024, 128), 131u);
}

}  // namespace
}  // namespace tacit
