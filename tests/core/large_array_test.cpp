#include "core/large_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tacit {
namespace {

// From nothing to more than two large pages.
TEST(LargeArray, HoldsZeros) {
  for (const std::size_t size : {0u, 1u, 1000u, 700'000u}) {
    const auto values = large_array(size);
    EXPECT_EQ(values.size(), size);
    EXPECT_TRUE(std::ranges::all_of(values, [](double v) { return v == 0; }));
  }
}

}  // namespace
}  // namespace tacit
