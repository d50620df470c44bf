#include "tacit/core.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tacit {
namespace {

struct Heard : WorkListener {
  std::vector<std::string> lines;
  std::vector<std::uint64_t> steps;

  void announced(const std::string& what) override { lines.push_back(what); }
  void advanced(std::uint64_t done, std::uint64_t) override { steps.push_back(done); }
};

TEST(PlannedWork, IsToldToTheInnermostScopeAlone) {
  Heard outer, inner;
  tell_progress(1, 9);  // nobody listens
  {
    const ListenScope listening(&outer);
    tell_progress(2, 9);
    {
      const ListenScope nearer(&inner);
      tell_progress(3, 9);
      const ListenScope unheard(nullptr);
      tell_progress(4, 9);
      announce("secret");
    }
    announce("known");
  }
  tell_progress(5, 9);
  EXPECT_EQ(outer.steps, std::vector<std::uint64_t>{2});
  EXPECT_EQ(inner.steps, std::vector<std::uint64_t>{3});
  EXPECT_EQ(outer.lines, std::vector<std::string>{"known"});
  EXPECT_TRUE(inner.lines.empty());
}

}  // namespace
}  // namespace tacit
