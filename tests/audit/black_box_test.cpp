#include "tacit/audit.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "noise/samplers.hpp"
#include "settings.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using audit::black_box;
using audit::BlackBoxResult;
using audit::Run;

// Laplace noise of scale 1 on `x`, exactly, rounded onto multiples of 2^−20.
Run exact_laplace(double x) {
  return [x](BitSource& bits) {
    Vector out(1);
    noise::add_laplace(std::span(&x, 1), 1, noise::lattice_for(1, 8), bits, {out.data(), 1});
    return out;
  };
}

// As in a textbook: x − sign·ln(U), in floating point.
Run textbook_laplace(double x) {
  return [x](BitSource& bits) {
    std::uint64_t words[2];
    bits.fill(words);
    const double uniform = std::ldexp(static_cast<double>(words[0] >> 11) + 1, -53);
    return Vector(Vector::Constant(1, x + (words[1] & 1 ? 1 : -1) * std::log(uniform)));
  };
}

Run always(Vector output) {
  return [=](BitSource&) { return output; };
}

TEST(EpsilonLowerBound, AgreesWithClopperPearsonByHand) {
  // No success in n: the upper bound on q is 1 − (alpha/2)^(1/n); n of n: the lower bound on p is
  // (alpha/2)^(1/n).
  const double root = std::pow(0.05 / 2, 1.0 / 50);
  EXPECT_NEAR(audit::epsilon_lower_bound(50, 0, 50, 0, 0.95), std::log(root / (1 - root)), 1e-12);
  EXPECT_NEAR(audit::epsilon_lower_bound(50, 0, 50, 0.3, 0.95), std::log((root - 0.3) / (1 - root)), 1e-12);
  EXPECT_EQ(audit::epsilon_lower_bound(0, 50, 50, 0, 0.95), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(audit::epsilon_lower_bound(10, 0, 50, 0.9, 0.95), -std::numeric_limits<double>::infinity());
}

// Exact coverage: over both binomials, the probability that the bound exceeds the truth is at most 1 −
// confidence.
TEST(EpsilonLowerBound, ExceedsTheTruthNoMoreOftenThanItSays) {
  constexpr std::size_t n = 40;
  double most = 0;
  for (const double confidence : {0.9, 0.99})
    for (const auto& [p, q] :
         {std::pair(0.5, 0.5), std::pair(0.6, 0.2), std::pair(0.95, 0.05), std::pair(0.1, 0.01)})
      for (const double delta : {0.0, 0.05}) {
        const boost::math::binomial on_first(n, p), on_second(n, q);
        double wrong = 0;
        for (std::size_t i = 0; i <= n; ++i)
          for (std::size_t j = 0; j <= n; ++j)
            if (audit::epsilon_lower_bound(i, j, n, delta, confidence) > std::log((p - delta) / q))
              wrong += pdf(on_first, static_cast<double>(i)) * pdf(on_second, static_cast<double>(j));
        EXPECT_LE(wrong, 1 - confidence) << p << " " << q << " " << delta;
        most = std::max(most, wrong);
      }
  EXPECT_GT(most, 0.005) << "a bound that is hardly ever wrong is loose";
}

TEST(BlackBox, FindsMostOfTheEpsilonOfExactLaplaceNoiseAndNeverMore) {
  for (const double epsilon : {0.5, 1.0, 2.0}) {
    const auto options = testing::seeded_black_box(40000, 0.9999, 1);
    const BlackBoxResult result = black_box(exact_laplace(0), exact_laplace(epsilon), 0, options);
    EXPECT_LE(result.lower_bound, epsilon);
    EXPECT_GT(result.lower_bound, 0.75 * epsilon) << result.event;
    // The other way round: both tails.
    const BlackBoxResult swapped = black_box(exact_laplace(epsilon), exact_laplace(0), 0, options);
    EXPECT_LE(swapped.lower_bound, epsilon);
    EXPECT_GT(swapped.lower_bound, 0.75 * epsilon) << swapped.event;
  }
}

TEST(BlackBox, CreditsDelta) {
  // A fair output, but with probability 0.1 the data itself: (0, 0.1)-DP.
  const auto leaky = [](double x) {
    return [x](BitSource& bits) {
      std::uint64_t word = 0;
      bits.fill({&word, 1});
      return Vector(Vector::Constant(1, word % 10 == 0 ? x : 0));
    };
  };
  const auto options = testing::seeded_black_box(20000, 0.9999, 2);
  EXPECT_EQ(black_box(leaky(1), leaky(2), 0.1, options).lower_bound, 0);
  EXPECT_GT(black_box(leaky(1), leaky(2), 0.05, options).lower_bound, 3);
  EXPECT_GT(black_box(leaky(1), leaky(2), 0, options).lower_bound, 4);
}

// Disjoint supports give as much as so many runs can show.
TEST(BlackBox, ScoresDisjointSupportsAsTheWorst) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  const auto one = [](double x) { return Vector(Vector::Constant(1, x)); };
  const std::pair<Vector, Vector> outputs[] = {{one(0), one(1)},
                                               {one(0), one(5e-324)},
                                               {one(1e300), one(-1e300)},
                                               {one(nan), one(0)},
                                               {one(infinite), one(nan)},
                                               {one(1), one(std::nextafter(1, 2))},
                                               {Vector::Zero(2), Vector::Zero(3)},
                                               {Vector(0), one(0)},
                                               {Vector::Unit(3, 0), Vector::Unit(3, 2)}};
  for (const auto& [a, b] : outputs) {
    const BlackBoxResult result =
        black_box(always(a), always(b), 0, testing::seeded_black_box(2000, 0.9999, 3));
    EXPECT_DOUBLE_EQ(result.lower_bound, result.resolution) << a << " against " << b;
    EXPECT_GT(result.lower_bound, 4);
  }
}

// The laws are close to equal everywhere, but the one takes even multiples of the grid, the other odd ones.
TEST(BlackBox, SeesDisjointSupportsThatInterleave) {
  const auto interleaved = [](double x, double parity) {
    return [=](BitSource& bits) {
      const double value = exact_laplace(x)(bits)[0];
      return Vector(Vector::Constant(1, 0x1p-18 * (2 * std::floor(value * 0x1p17) + parity)));
    };
  };
  const BlackBoxResult result =
      black_box(interleaved(0, 0), interleaved(0, 1), 0, testing::seeded_black_box(4000, 0.9999, 4));
  EXPECT_DOUBLE_EQ(result.lower_bound, result.resolution);
  EXPECT_NE(result.event.find("last bit"), std::string::npos) << result.event;
}

TEST(BlackBox, CatchesTextbookNoiseByItsLastBitsAndPassesExactNoise) {
  const auto options = testing::seeded_black_box(20000, 0.9999, 5);
  EXPECT_GT(black_box(textbook_laplace(0), textbook_laplace(1), 0, options).lower_bound, 1.5);
  EXPECT_LE(black_box(exact_laplace(0), exact_laplace(1), 0, options).lower_bound, 1);
}

TEST(BlackBox, DoesNotDependOnTheNumberOfThreads) {
  auto options = testing::seeded_black_box(3000, 0.99, 6);
  options.threads = 1;
  const BlackBoxResult one = black_box(exact_laplace(0), exact_laplace(1), 0, options);
  options.threads = 5;
  const BlackBoxResult five = black_box(exact_laplace(0), exact_laplace(1), 0, options);
  EXPECT_EQ(one.lower_bound, five.lower_bound);
  EXPECT_EQ(one.event, five.event);
}

// 1000 audits of one law against itself at confidence 0.9: a bound above 0 is a false alarm, of probability ≤
// 0.1 each. 145 = 100 + 4.7·√90 of them happen by chance with probability 4e-6. Had the event been measured
// on the runs that chose it, nearly every audit would be one.
TEST(BlackBox, ChoosingTheEventDoesNotBiasItsMeasurement) {
  int alarms = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    alarms += black_box(exact_laplace(0), exact_laplace(0), 0, testing::seeded_black_box(60, 0.9, seed))
                  .lower_bound > 0;
  EXPECT_LT(alarms, 145);
}

TEST(BlackBox, RefusesTooFewRunsAndAConfidenceOutsideItsRange) {
  for (const double confidence : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(black_box(exact_laplace(0), exact_laplace(1), 0, {.runs = 100, .confidence = confidence}),
                 UsageError);
  EXPECT_THROW(black_box(exact_laplace(0), exact_laplace(1), 0, {.runs = 19}), UsageError);
}

}  // namespace
}  // namespace tacit
