#include "tacit/core.hpp"

#include <gtest/gtest.h>

#include "core/parallel.hpp"

namespace tacit {
namespace {

TEST(StopScope, StopsTheWorkOfItsThreadAndOfThoseItStarts) {
  std::atomic<bool> stop = false;
  const StopScope scope(&stop);
  std::atomic<int> parts = 0;
  const auto inner = [&](std::size_t, std::size_t, unsigned) { ++parts; };
  parallel_parts(2, 2, [&](std::size_t, std::size_t, unsigned) {
    EXPECT_EQ(stop_flag(), &stop);
    parallel_parts(1, 1, inner);
  });
  EXPECT_EQ(parts, 2);
  stop = true;
  EXPECT_THROW(parallel_parts(2, 2, inner), Interrupted);
  EXPECT_EQ(parts, 2);
}

TEST(StopScope, EndsWithItsScope) {
  std::atomic<bool> stop = true;
  { const StopScope scope(&stop); }
  EXPECT_EQ(stop_flag(), nullptr);
  EXPECT_NO_THROW(throw_if_stopped());
}

}  // namespace
}  // namespace tacit
