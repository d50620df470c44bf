// Claim: an interval holds the true result, and little else; what is undefined gives the whole line. The
// reference is MPFR at 640 bits, rounded to nearest.

#include "core/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "support/number.hpp"

namespace tacit {
namespace {

using testing::Number;
constexpr double infinity = std::numeric_limits<double>::infinity();

// x lies in the interval: its distance from each end, in 640 bits, has the right sign. The ends are moved by
// what the reference may be off.
void expect_holds(const Interval& interval, const Number& x, const char* what, double at) {
  const Interval away = interval - x.to_double();  // what is left of x after its first 53 bits is below 2^-53
  const Number rest = x - Number(x.to_double());
  EXPECT_LE(away.lower(), std::nextafter(rest.to_double(), infinity)) << what << " at " << at;
  EXPECT_GE(away.upper(), std::nextafter(rest.to_double(), -infinity)) << what << " at " << at;
}

bool is_whole_line(const Interval& x) { return x.lower() == -infinity && x.upper() == infinity; }

double any_size(std::mt19937_64& draw) {
  const double magnitude =
      std::ldexp(std::uniform_real_distribution(0.5, 1.0)(draw), static_cast<int>(draw() % 41) - 20);
  return draw() % 2 == 0 ? magnitude : -magnitude;
}

TEST(Interval, HoldsTheTruthOfEveryOperation) {
  std::mt19937_64 draw(3);
  for (int i = 0; i < 2000; ++i) {
    const long bits = 60 + static_cast<long>(draw() % 200);
    const double a = any_size(draw), b = any_size(draw);
    // a/3 and b/7, which no interval of these has as an end
    const Interval x = Interval(a, bits) / 3.0, y = Interval(b, bits) / 7.0;
    const Number s = Number(a) / Number(3), t = Number(b) / Number(7);
    expect_holds(x + y, s + t, "sum", a);
    expect_holds(x - y, s - t, "difference", a);
    expect_holds(x * y, s * t, "product", a);
    expect_holds(x / y, s / t, "quotient", a);
    expect_holds(square(x), s * s, "square", a);
    expect_holds(exp(-abs(x)), exp(Number(-1) * abs(s)), "exp", a);
    expect_holds(log(abs(x)), log(abs(s)), "log", a);
    expect_holds(log1p(abs(x)), log1p(abs(s)), "log1p", a);
    expect_holds(sqrt(abs(x)), sqrt(abs(s)), "sqrt", a);
    expect_holds(cos_pi(x.times_power_of_two(1)), cos_2pi(s), "cosine", a);
    expect_holds(sin_pi(x.times_power_of_two(1)), sin_2pi(s), "sine", a);
    expect_holds(max(x, y), s < t ? t : s, "max", a);
    expect_holds(min(x, y), s < t ? s : t, "min", a);
    EXPECT_GE((x * y).certain_bits(), bits - 8);
    EXPECT_GE(exp(x / 1e6).certain_bits(), bits - 8);
  }
}

// Where each way of computing it is used: negative, small, the fraction, far out; points and wide intervals.
TEST(Interval, HoldsTheTruthOfErfc) {
  std::mt19937_64 draw(4);
  for (int i = 0; i < 150; ++i) {
    const long bits = i % 3 == 0 ? 64 : i % 3 == 1 ? 128 : 300;
    const double a = std::uniform_real_distribution(-12.0, i % 5 == 0 ? 200.0 : 45.0)(draw);
    const Interval x = Interval(a, bits) / 3.0, tail = erfc(x);
    const Number truth = erfc(Number(a) / Number(3));
    // relative: e^(−x²) leaves the range of doubles
    const long shift = mpfr_get_exp(truth.get());
    expect_holds(tail.times_power_of_two(-shift), truth.shifted(-shift), "erfc", a);
    EXPECT_GE(tail.certain_bits(), bits - 40) << a;
    const Interval wide = erfc(x.widened(Interval(0.25)));
    for (const double step : {-0.25, 0.0, 0.25}) {
      const Number inside = erfc(Number(a) / Number(3) + Number(step));
      expect_holds(wide.times_power_of_two(-shift), inside.shifted(-shift), "wide erfc", a);
    }
  }
}

TEST(Interval, HoldsEveryCosineBetweenItsEnds) {
  std::mt19937_64 draw(5);
  for (int i = 0; i < 2000; ++i) {
    const double low = std::uniform_real_distribution(-3.0, 3.0)(draw),
                 high = low + std::uniform_real_distribution(0.0, 2.5)(draw);
    const Interval range = cos_pi(hull(Interval(low, 80), Interval(high, 80)));
    double least = 1, most = -1;
    for (int k = 0; k <= 100; ++k) {
      const double c = std::cos(M_PI * (low + (high - low) * k / 100));
      least = std::fmin(least, c), most = std::fmax(most, c);
    }
    EXPECT_LE(range.lower(), least + 1e-14);
    EXPECT_GE(range.upper(), most - 1e-14);
    EXPECT_GE(range.lower(), least - 1e-2) << "far too wide";
    EXPECT_LE(range.upper(), most + 1e-2) << "far too wide";
  }
}

TEST(Interval, IsTheWholeLineWhereAnOperationIsUndefined) {
  const Interval zero(0, 90), around_zero = zero.widened(Interval(1)), minus(-2, 90), unbounded(infinity, 90);
  const std::vector<Interval> undefined{Interval(std::nan("")),
                                        Interval(1, 90) / zero,
                                        Interval(1, 90) / around_zero,
                                        log(minus),
                                        log(around_zero),
                                        log1p(minus),
                                        sqrt(minus),
                                        sqrt(around_zero),
                                        unbounded - unbounded,
                                        unbounded * zero,
                                        zero * unbounded,
                                        unbounded / unbounded,
                                        exp(log(minus)) - 1e9,
                                        Interval(std::nan("")) * 0.0};
  for (std::size_t i = 0; i + 2 < undefined.size(); ++i) {
    EXPECT_TRUE(is_whole_line(undefined[i])) << i;
    EXPECT_LT(undefined[i].certain_bits(), 0) << i;
    EXPECT_FALSE(undefined[i].common_floor()) << i;
    EXPECT_FALSE(undefined[i] < Interval(1e300) || undefined[i] > Interval(-1e300)) << i;
  }
  EXPECT_EQ(undefined[12].upper(), infinity);
  EXPECT_TRUE(is_whole_line(undefined[13]));
  EXPECT_EQ(sqrt_of_positive(around_zero).lower(), 0);
  EXPECT_EQ(exp(Interval(1e19, 90)).upper(), infinity);  // too large for any exponent
  EXPECT_LT(exp(Interval(1e19, 90)).lower(), infinity);
  EXPECT_NEAR(log(exp(Interval(1e15, 128))).lower(), 1e15, 1);
}

TEST(Interval, TellsTheFloorOnlyIfItIsTheSame) {
  const Interval dust = Interval(1, 200).times_power_of_two(-150);
  EXPECT_EQ((Interval(3, 200) + dust).common_floor(), 3);
  EXPECT_EQ((Interval(3, 200) - dust).common_floor(), 2);
  EXPECT_FALSE(Interval(3, 200).widened(dust).common_floor());
  const auto zero = (Interval(0.5, 80) - 0.5).widened(Interval(0)).common_floor();
  ASSERT_TRUE(zero);
  EXPECT_FALSE(std::signbit(*zero)) << "the sign of a zero would tell from which side it came";
}

TEST(Interval, HoldsAUniformOfWhichWordsAreKnown) {
  const std::vector<std::uint64_t> rest{~std::uint64_t{0}, 5};
  const Interval exact = Interval::of_digits(7, rest, 192), rounded = Interval::of_digits(7, rest, 60);
  const Number low =
      (Number::of_word(7).shifted(128) + Number::of_word(rest[0]).shifted(64) + Number(5)).shifted(-192);
  expect_holds(exact, low, "low end", 7);
  expect_holds(exact, low + Number(1).shifted(-192), "high end", 7);
  expect_holds(rounded, low, "rounded", 7);
  EXPECT_TRUE(exact < Interval(8, 80).times_power_of_two(-64));
}

// MPFR's caches are each thread's own, and freed at its end (the sanitizer would see them).
TEST(Interval, ThreadsDoNotMeet) {
  ASSERT_TRUE(mpfr_buildopt_tls_p());
  const auto work = [](double& sum) {
    for (int i = 1; i <= 300; ++i)
      sum += log(Interval(i, 100 + i) / 3.0).upper() + erfc(Interval(i, 90) / 99.0).upper();
  };
  std::vector<double> sums(5, 0.0);
  std::vector<std::thread> threads;
  for (double& sum : sums) threads.emplace_back([&work, &sum] { work(sum); });
  for (std::thread& thread : threads) thread.join();
  for (const double sum : sums) EXPECT_EQ(sum, sums[0]);
}

// A program's own use of MPFR is left as it was.
TEST(Interval, LeavesTheExponentRangeOfTheProgram) {
  const auto least = mpfr_get_emin(), most = mpfr_get_emax();
  mpfr_set_emin(-1000);
  mpfr_set_emax(1000);
  EXPECT_NEAR(log(exp(Interval(1e6, 90))).upper(), 1e6, 1e-6);
  EXPECT_EQ(mpfr_get_emin(), -1000);
  EXPECT_EQ(mpfr_get_emax(), 1000);
  mpfr_set_emin(least);
  mpfr_set_emax(most);
}

TEST(Interval, ComesBackFromTextWithTheSameEndsAndPrecision) {
  const Interval third = Interval(1, 300) / Interval(3, 300);
  const std::vector<Interval> cases = {Interval(0),
                                       Interval(-1.5, 64),
                                       third,
                                       -third,
                                       exp(Interval(1e18, 200)),  // beyond every double
                                       exp(Interval(-1e18, 200)),
                                       Interval(std::nan(""), 100),
                                       log(Interval(0, 100)),
                                       third.widened(Interval(1e-40, 300))};
  for (const Interval& one : cases) {
    const Interval again = Interval::from_text(one.text());
    EXPECT_EQ(again.bits(), one.bits());
    EXPECT_EQ(again.text(), one.text());
    EXPECT_EQ(again.lower(), one.lower());
    EXPECT_EQ(again.upper(), one.upper());
    EXPECT_EQ(again.certain_bits(), one.certain_bits());
  }
  for (const char* wrong : {"", "53", "53 1", "0 1 1", "53 2 1", "53 1 2 3", "53 1 x", "x 1 1"})
    EXPECT_THROW(Interval::from_text(wrong), Error) << wrong;
}

}  // namespace
}  // namespace tacit
