#include "loss/exponentials.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tacit {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> exponents() {
  std::mt19937_64 random(1);
  std::vector<double> x = {0, -0.0, -745, -1e300, -infinity, std::nan("")};
  for (int k = 0; k < 10'000; ++k) x.push_back(-std::exp(std::uniform_real_distribution<>(-40, 6.5)(random)));
  return x;
}

TEST(Exponentials, AreWithinOneUlp) {
  const std::vector<double> x = exponents();
  std::vector<double> found = x;
  exponentials(found);
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (std::isnan(x[k])) {
      EXPECT_TRUE(std::isnan(found[k]));
      continue;
    }
    const long double exact = std::exp(static_cast<long double>(x[k]));
    const double near = static_cast<double>(exact);
    const double ulp = std::nextafter(near, infinity) - near;
    EXPECT_LE(std::fabs(static_cast<double>(found[k] - exact)), 1.01 * ulp) << x[k];
  }
}

TEST(Exponentials, DoNotDependOnPlaceOrNeighbours) {
  const std::vector<double> x = exponents();
  std::vector<double> found = x;
  exponentials(found);
  for (std::size_t k = 0; k < x.size(); ++k) {
    double alone = x[k];
    exponentials({&alone, 1});
    EXPECT_TRUE(alone == found[k] || (std::isnan(alone) && std::isnan(found[k]))) << x[k];
  }
}

}  // namespace
}  // namespace tacit
