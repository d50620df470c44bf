// Claim: the functions of the C library keep the bounds that privacy rests on (docs/noise.md, "What the
// bounds rest on"). Held against MPFR at 160 bits, over a grid of every binade that an argument can have.
// CMake runs this a second time with the processor's wide instructions hidden, which makes the C library take
// its other code.

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <random>
#include <string_view>
#include <vector>

#include "support/number.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using testing::Number;
constexpr long bits = 160;

struct Function {
  const char* name;
  double (*found)(double);
  int (*truth)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  double low, high;   // arguments, by size
  bool negative;      // and those below zero
  double most_ulps;   // at most what the bounds of this project allow
  double least_ulps;  // a grid that finds less is too coarse to tell anything
  int rarer = 1;      // so much fewer points: where MPFR takes long
};

double ulp_of(double x) {
  const double size = std::fabs(x);
  return std::nextafter(size, 1e308) - size;
}

// How far the found value is from the true one, in units of its last place; what underflows is off by a unit
// at most.
double error_in_ulps(const Function& f, double x) {
  Number argument(x, bits), value(0, bits);
  f.truth(value.get(), argument.get(), MPFR_RNDN);
  const double near = value.to_double(), found = f.found(x);
  if (std::isinf(near) || near == 0) return found == near ? 0 : 1e9;
  return std::fabs((Number(found, bits) - value).to_double()) / ulp_of(near);
}

// Of each binade its ends, arguments at random, and arguments next to the sixteenths, where tables and
// polynomials change.
double worst(const Function& f, int in_each_binade) {
  std::mt19937_64 random(1);
  double most = 0;
  const auto try_it = [&](double x) {
    if (!(x >= f.low && x <= f.high)) return;
    most = std::fmax(most, error_in_ulps(f, x));
    if (f.negative) most = std::fmax(most, error_in_ulps(f, -x));
  };
  for (int binade = std::ilogb(f.low); binade <= std::ilogb(f.high); ++binade) {
    for (int k = 0; k < in_each_binade; ++k)
      try_it(std::ldexp(1 + std::uniform_real_distribution<>()(random), binade));
    for (int k = 0; k < 16; ++k) {
      const double edge = std::ldexp(1 + k / 16.0, binade);
      for (const double x : {std::nextafter(edge, 0.0), edge, std::nextafter(edge, 1e308)}) try_it(x);
    }
  }
  return most;
}

// The arguments that occur: exponents until the result vanishes or overflows, probabilities, angles of a turn
// or two.
const Function functions[] = {
    {"exp", std::exp, mpfr_exp, 0x1p-60, 708, true, 1, 0.4},
    {"expm1", std::expm1, mpfr_expm1, 0x1p-60, 708, true, 1, 0.4},
    {"log", std::log, mpfr_log, 0x1p-1021, 0x1p1023, false, 1, 0.4},
    {"log1p below 0", [](double x) { return std::log1p(-x); },
     [](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t how) {
       Number minus = Number(0, bits);
       mpfr_neg(minus.get(), x, how);
       return mpfr_log1p(y, minus.get(), how);
     },
     0x1p-60, 1 - 0x1p-53, false, 1, 0.4},
    {"log1p", std::log1p, mpfr_log1p, 0x1p-60, 0x1p1000, false, 1, 0.4},
    {"tanh", std::tanh, mpfr_tanh, 0x1p-60, 40, true, 4, 0.4},
    {"erfc", std::erfc, mpfr_erfc, 0x1p-60, 5.9, true, 6, 0.4},
    {"erfc, far", std::erfc, mpfr_erfc, 5.9, 26, false, 6, 0.4, 100},
    {"cos", std::cos, mpfr_cos, 0x1p-60, 8, false, 1, 0.4},
    {"sin", std::sin, mpfr_sin, 0x1p-60, 8, false, 1, 0.4},
    {"sqrt", std::sqrt, mpfr_sqrt, 0x1p-1021, 0x1p1023, false, 0.5, 0.4},
};

// The quick grid in every run, the long one in `make check`.
struct Run {
  Function function;
  int points;
};
void PrintTo(const Run& run, std::ostream* out) {
  *out << run.function.name << ", " << run.points << " points";
}

class LibraryFunctions : public ::testing::TestWithParam<Run> {};

TEST_P(LibraryFunctions, KeepTheBoundsThatPrivacyRestsOn) {
  const auto& [f, points] = GetParam();
  const int binades = std::ilogb(f.high) - std::ilogb(f.low) + 1;
  const double found = worst(f, points / binades / f.rarer);
  RecordProperty("worst_ulps", std::to_string(found));
  EXPECT_LE(found, f.most_ulps) << f.name;
  EXPECT_GT(found, f.least_ulps) << f.name;
}

// Two sides of every size next to each other.
TEST(LibraryHypot, IsWithinAnUlp) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<> mantissa(1, 2), size(-60, 60);
  double most = 0;
  for (int k = 0; k < 20'000; ++k) {
    const double a = std::ldexp(mantissa(random), static_cast<int>(size(random)));
    const double b = a * std::exp2(size(random) / 2) * mantissa(random);
    const Number x(a, bits), y(b, bits), truth = sqrt(x * x + y * y);
    const double error = std::fabs((Number(std::hypot(a, b), bits) - truth).to_double());
    most = std::fmax(most, error / ulp_of(truth.to_double()));
  }
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.4);
}

TEST(LibraryAtan2, IsWithinAnUlp) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<> mantissa(1, 2), size(-60, 60);
  double most = 0;
  for (int k = 0; k < 20'000; ++k) {
    const double x = (k % 2 == 0 ? 1 : -1) * mantissa(random);
    const double y = (k % 4 < 2 ? 1 : -1) * std::ldexp(mantissa(random), static_cast<int>(size(random)));
    Number truth(0, bits);
    mpfr_atan2(truth.get(), Number(y, bits).get(), Number(x, bits).get(), MPFR_RNDN);
    const double error = std::fabs((Number(std::atan2(y, x), bits) - truth).to_double());
    most = std::fmax(most, error / ulp_of(truth.to_double()));
  }
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.4);
}

// What thresholds of tests on users rest on (algorithm/user_level/chosen_tau.cpp): P(N ≥ q(1 + 10⁻⁹)) ≤ p. A
// hundredth of that margin is enough.
TEST(BoostNormalQuantile, IsFarEnoughOut) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<> logs(-690, -1.4);
  for (int k = 0; k < 3000; ++k) {
    const double p = std::exp(logs(random));
    const double q = boost::math::quantile(boost::math::complement(boost::math::normal(), p));
    const Number out = Number(q, bits) * Number(1 + 1e-11, bits) / sqrt(Number(2, bits));
    EXPECT_LE((erfc(out) - Number(2 * p, bits)).to_double(), 0) << p;
  }
}

std::vector<Run> runs(int points) {
  std::vector<Run> result;
  for (const Function& f : functions) result.push_back({f, points});
  return result;
}

constexpr auto named = [](const auto& run) {
  std::string name;
  for (const char c : std::string_view(run.param.function.name))
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
  return name;
};
INSTANTIATE_TEST_SUITE_P(Grid, LibraryFunctions, ::testing::ValuesIn(runs(20'000)), named);
INSTANTIATE_TEST_SUITE_P(LongGrid, LibraryFunctions, ::testing::ValuesIn(runs(2'000'000)), named);

}  // namespace
}  // namespace tacit
