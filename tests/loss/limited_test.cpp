#include "loss/limited.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "tacit/core.hpp"

namespace tacit {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

const std::vector<Link> all_links = {{LinkKind::squared, 0},          {LinkKind::huber, 0.7},
                                     {LinkKind::absolute, 0},         {LinkKind::pinball, 0.2},
                                     {LinkKind::logistic, 0},         {LinkKind::hinge, 0},
                                     {LinkKind::smoothed_hinge, 0.5}, {LinkKind::poisson, 0}};

double draw_label(const Link& link, std::mt19937_64& random) {
  if (facts(link).classification) return random() % 2 == 0 ? -1 : 1;
  const double y = std::exponential_distribution<>(0.3)(random);
  return link.kind == LinkKind::poisson ? std::floor(y) : (random() % 2 == 0 ? y : -y);
}

double log_uniform(double low, double high, std::mt19937_64& random) {
  return std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random));
}

// Visits (link, limits, label, scores) over many sizes; scores sorted.
template <class Check>
void for_random_limited_links(Check check) {
  std::mt19937_64 random(7);
  for (const Link& link : all_links)
    for (int trial = 0; trial < 300; ++trial) {
      const Limits limits{log_uniform(1e-6, 1e3, random), log_uniform(1e-6, 1e4, random)};
      const double y = draw_label(link, random), spread = log_uniform(1e-2, 1e3, random);
      std::vector<double> scores(40);
      for (double& s : scores) s = std::normal_distribution<>(0, spread)(random);
      std::ranges::sort(scores);
      check(link, limits, y, scores);
    }
}

TEST(LimitedLink, SlopeStaysWithinItsLimit) {
  for_random_limited_links(
      [](const Link& link, const Limits& limits, double y, const std::vector<double>& scores) {
        for (const double s : scores) EXPECT_LE(std::fabs(evaluate(link, limits, s, y).first), limits.slope);
      });
}

TEST(LimitedLink, SlopeIsMonotoneAndItsGrowthStaysWithinTheCurvatureLimit) {
  for_random_limited_links([](const Link& link, const Limits& limits, double y,
                              const std::vector<double>& scores) {
    for (std::size_t k = 1; k < scores.size(); ++k) {
      const double before = evaluate(link, limits, scores[k - 1], y).first;
      const double after = evaluate(link, limits, scores[k], y).first;
      const double rounding = slope_rounding(link, limits.slope, limits.curvature, 100);
      EXPECT_GE(after, before - rounding) << name(link.kind);
      EXPECT_LE(after - before, limits.curvature * (scores[k] - scores[k - 1]) + rounding) << name(link.kind);
      EXPECT_LE(evaluate(link, limits, scores[k], y).second, limits.curvature * (1 + 1e-12));
    }
  });
}

TEST(LimitedLink, ValueIsTheIntegralOfTheSlope) {
  for_random_limited_links(
      [](const Link& link, const Limits& limits, double y, const std::vector<double>& scores) {
        for (std::size_t k = 1; k < scores.size(); k += 7) {
          const double a = scores[k - 1], b = scores[k];
          const LinkPoint at_a = evaluate(link, limits, a, y), at_b = evaluate(link, limits, b, y);
          // Convexity brackets the difference by the slopes at both ends.
          const double tolerance = 1e-9 * (1 + std::fabs(at_a.value) + std::fabs(at_b.value));
          EXPECT_GE(at_b.value - at_a.value, at_a.first * (b - a) - tolerance) << name(link.kind);
          EXPECT_LE(at_b.value - at_a.value, at_b.first * (b - a) + tolerance) << name(link.kind);
        }
      });
}

TEST(LimitedLink, InnerLoopSlopesAreTheSameNumbers) {
  for_random_limited_links(
      [](const Link& link, const Limits& limits, double y, const std::vector<double>& scores) {
        for (const double s : scores) {
          const LinkPoint at = evaluate(link, limits, s, y);
          const LinkSlope fast = slope(link, limits, s, y);
          EXPECT_EQ(at.first, fast.first);
          EXPECT_EQ(at.second, fast.second);
        }
      });
}

TEST(LimitedLink, EqualsTheLinkForRecordsThatObeyTheLimits) {
  std::mt19937_64 random(8);
  for (const Link& link : all_links) {
    const LinkFacts known = facts(link);
    if (std::isinf(known.slope) || std::isinf(known.curvature)) continue;
    const Limits roomy{known.slope * 1.01, known.curvature * 1.01};
    for (int trial = 0; trial < 200; ++trial) {
      const double y = draw_label(link, random), s = std::normal_distribution<>(0, 5)(random);
      EXPECT_EQ(evaluate(link, roomy, s, y).first, evaluate(link, s, y).first) << name(link.kind);
      EXPECT_NEAR(evaluate(link, roomy, s, y).value, evaluate(link, s, y).value, 1e-12) << name(link.kind);
    }
  }
}

TEST(LimitedLink, SquaredBecomesHuberAndPoissonKeepsItsCenter) {
  const Limits limits{2, 10};
  EXPECT_EQ(evaluate({LinkKind::squared, 0}, limits, 1.5, 0).first, 1.5);
  EXPECT_EQ(evaluate({LinkKind::squared, 0}, limits, 5, 0).first, 2);
  EXPECT_NEAR(evaluate({LinkKind::squared, 0}, limits, 5, 0).value, 2 * 5 - 2, 1e-12);
  EXPECT_NEAR(evaluate({LinkKind::poisson, 0}, limits, std::log(3), 3).first, 0, 1e-14);
  EXPECT_EQ(evaluate({LinkKind::poisson, 0}, limits, 800, 3).first, 2);
}

TEST(PlainLink, MatchesTheTextbook) {
  EXPECT_NEAR(evaluate({LinkKind::logistic, 0}, 0, 1).value, std::log(2), 1e-15);
  EXPECT_NEAR(evaluate({LinkKind::logistic, 0}, 0, 1).first, -0.5, 1e-15);
  EXPECT_NEAR(evaluate({LinkKind::logistic, 0}, 0, 1).second, 0.25, 1e-15);
  EXPECT_EQ(evaluate({LinkKind::hinge, 0}, 0.25, 1).value, 0.75);
  EXPECT_EQ(evaluate({LinkKind::hinge, 0}, 2, 1).first, 0);
  EXPECT_EQ(evaluate({LinkKind::absolute, 0}, -3, 1).value, 4);
  EXPECT_NEAR(evaluate({LinkKind::pinball, 0.2}, 1, 3).value, 0.4, 1e-15);
  EXPECT_NEAR(evaluate({LinkKind::pinball, 0.2}, 5, 3).value, 1.6, 1e-15);
  EXPECT_EQ(evaluate({LinkKind::smoothed_hinge, 0.5}, 0.75, 1).value, 0.0625);
  EXPECT_NEAR(evaluate({LinkKind::poisson, 0}, 1, 2).value, std::exp(1) - 2, 1e-15);
  EXPECT_EQ(evaluate({LinkKind::huber, 1}, 3, 0).value, 2.5);
}

TEST(PlainLink, UnknownNamesListTheKnownOnes) {
  try {
    parse_link("logit");
    FAIL() << "accepted";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("logistic"), std::string::npos);
  }
  EXPECT_ANY_THROW(validate(Link{LinkKind::pinball, 1}));
  EXPECT_ANY_THROW(validate(Link{LinkKind::huber, 0}));
  EXPECT_ANY_THROW(validate(Link{LinkKind::huber, unbounded}));
}

// Records of every size: c·‖a‖ ≤ C and q·‖a‖² ≤ Q in exact arithmetic. The products are checked in long
// double, whose 64-bit mantissa is far finer than the bound's own slack.
TEST(RecordLimits, HoldForExtremeRows) {
  std::mt19937_64 random(9);
  const std::vector<std::vector<double>> rows = {{0, 0, 0},           {1e300, -1e300, 1e299}, {5e-324, 0, 0},
                                                 {1e-300, 1e-310, 0}, {1e75, -1e75, 3},       {1, 1, 1},
                                                 {1e-70, 0, -1e-71},  {0.1, 0.2, 0.3}};
  for (const auto& row : rows)
    for (const double intercept : {0.0, 1.0}) {
      const double norm = row_norm({row.data(), nullptr, row.size()}, intercept);
      long double square = static_cast<long double>(intercept) * intercept;
      for (const double x : row) square += static_cast<long double>(x) * x;
      const long double exact = std::sqrt(square);
      if (norm == 0) {
        EXPECT_TRUE(exact < 0x1p-249L || exact > 0x1p249L);
        continue;
      }
      EXPECT_GE(static_cast<long double>(norm), exact);
      EXPECT_LE(static_cast<long double>(norm), exact * (1 + 1e-14L));
      const double c = log_uniform(1e-3, 1e3, random), q = log_uniform(1e-3, 1e3, random);
      const Limits limits = limits_of_record(c, q, norm);
      EXPECT_LE(limits.slope * exact, static_cast<long double>(c));
      EXPECT_LE(limits.curvature * exact * exact, static_cast<long double>(q));
      EXPECT_GT(limits.slope, 0);
      EXPECT_GT(limits.curvature, 0);
    }
}

}  // namespace
}  // namespace tacit
