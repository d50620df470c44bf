#include "privacy/nested_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tacit/core.hpp"

namespace tacit {
namespace {

// k steps from one record to the next: δ of the group is δ'·(1 + e^{ε'} + … + e^{(k−1)ε'}).
TEST(GroupPrivacy, LeavesEachRecordWhatTheGroupAddsUpTo) {
  for (const std::uint64_t k : {1u, 2u, 7u, 100u})
    for (const double epsilon : {0.1, 1.0, 8.0}) {
      const Approx item = item_target({epsilon, 1e-5}, k);
      double delta = 0;
      for (std::uint64_t i = 0; i < k; ++i)
        delta += std::exp(static_cast<double>(i) * item.epsilon) * item.delta;
      EXPECT_LE(static_cast<double>(k) * item.epsilon, epsilon);
      EXPECT_LE(delta, 1e-5 * (1 + 1e-12));
      EXPECT_GE(delta, 0.999e-5);
    }
  EXPECT_THROW(item_target({1, 1e-5}, 0), UsageError);
}

// e^1000 is beyond all doubles, e^{-500} is not: 1e-5·(e^500 − 1)/(e^1000 − 1).
TEST(GroupPrivacy, ComputesWithAnEpsilonWhoseExponentialOverflows) {
  const Approx item = item_target({1000, 1e-5}, 2);
  EXPECT_LE(item.epsilon, 500);
  EXPECT_NEAR(std::log(item.delta), std::log(1e-5) - 500, 1e-9);
  try {
    item_target({1000, 1e-5}, 100);
    FAIL() << "1e-5·e^{-990} is no double";
  } catch (const InfeasibleError& error) {
    EXPECT_NE(std::string(error.what()).find("fewer records-per-user"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tacit
