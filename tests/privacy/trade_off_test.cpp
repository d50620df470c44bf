#include "privacy/trade_off.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "tacit/core.hpp"

namespace tacit {
namespace {

double tail(double z) { return boost::math::cdf(boost::math::normal(), z); }
double quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

std::vector<ProfilePoint> profile_of(const Event& event, const Guarantee& stated) {
  return privacy_profile({&event, 1}, stated);
}

TEST(TradeOff, OfAGaussianIsNeverBelowTheBestTestAndHardlyAbove) {
  for (const double mu : {0.1, 0.5, 1.0, 3.0}) {
    const auto profile = profile_of(GaussianEvent{mu}, Gaussian{mu});
    for (const double a : {1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9}) {
      const double best = tail(quantile(a) + mu);  // [Dong, Roth & Su 2022, eq. 6]
      EXPECT_GE(most_true_positives(profile, a), best) << mu << " " << a;
      EXPECT_LE(most_true_positives(profile, a), 1.01 * best) << mu << " " << a;
    }
  }
}

TEST(TradeOff, OfPureEventsIsThatOfRandomisedResponse) {
  for (const double epsilon : {0.01, 1.0, 5.0}) {
    const auto profile = profile_of(PureEvent{epsilon}, Pure{epsilon});
    for (const double a : {1e-4, 0.01, 0.3, 0.8}) {
      const double best = std::min(std::exp(epsilon) * a, 1 - std::exp(-epsilon) * (1 - a));
      EXPECT_GE(most_true_positives(profile, a), best * (1 - 1e-15));
      EXPECT_NEAR(most_true_positives(profile, a), best, 1e-9);
    }
  }
}

TEST(TradeOff, OfLaplaceNoiseKnowsMoreThanItsEpsilon) {
  // The best test of Lap(1/eps) against its shift by 1 for a in [e^-eps/2, 1/2]: 1 − e^-eps/(4a).
  const double epsilon = 2, a = 0.2;
  const double best = 1 - std::exp(-epsilon) / (4 * a);
  const double stated = most_true_positives(std::vector<ProfilePoint>{{epsilon, 0}}, a);
  const double known = most_true_positives(profile_of(LaplaceEvent{epsilon}, Pure{epsilon}), a);
  EXPECT_GE(known, best);
  EXPECT_LT(known, best + 1e-3);
  EXPECT_GT(stated, best + 0.05);
}

TEST(TradeOff, IsMonotoneAndReachesOne) {
  const auto profile = profile_of(PoissonGaussianEvent{1.1, 0.01, 1000}, Approx{2, 1e-5});
  double before = 0;
  for (int k = 0; k <= 100; ++k) {
    const double now = most_true_positives(profile, k / 100.0);
    EXPECT_GE(now, before);
    EXPECT_GE(now, k / 100.0);
    before = now;
  }
  EXPECT_EQ(before, 1);
}

TEST(TradeOff, CountsAFailureOfProbabilityDelta) {
  const std::vector<Event> events{GaussianEvent{0.3}, DeltaEvent{1e-3}};
  const auto profile = privacy_profile(events, Approx{2, 2e-3});
  EXPECT_GE(most_true_positives(profile, 0), 1e-3);
  EXPECT_LT(most_true_positives(profile, 0), 3e-3);
}

TEST(TradeOff, PointsSayNoLessTogetherThanAlone) {
  for (const double mu : {0.01, 0.3, 2.0}) {
    const auto profile = profile_of(GaussianEvent{mu}, Gaussian{mu});
    // δ(0) is the total variation distance, 2Φ(μ/2) − 1.
    EXPECT_GE(profile.front().delta, 2 * tail(mu / 2) - 1);
    EXPECT_LT(profile.front().delta, 1.05 * (2 * tail(mu / 2) - 1)) << mu;
    for (std::size_t k = 1; k < profile.size(); ++k) EXPECT_LE(profile[k].delta, profile[k - 1].delta);
  }
  // Many faint steps: at ε = 0 alone the accountant's upper end is 0.065.
  EXPECT_LT(profile_of(PoissonGaussianEvent{104, 0.01108, 2707}, Gaussian{0.5}).front().delta, 0.015);
}

TEST(TradeOff, OfAPureGuaranteeEndsAtItOnce) {
  const auto profile = profile_of(PureEvent{1.3}, Pure{1.3});
  EXPECT_EQ(profile.back().epsilon, 1.3);
  EXPECT_EQ(profile.back().delta, 0);
  EXPECT_LT(profile[profile.size() - 2].epsilon, 1.3);
  EXPECT_GT(profile[profile.size() - 2].delta, 1e-9);
}

TEST(TradeOff, OfAnEnormousEpsilonExcludesNothing) {
  const auto profile = profile_of(PureEvent{1e9}, Pure{1e9});
  EXPECT_EQ(profile.size(), 1u);
  EXPECT_EQ(most_true_positives(profile, 1e-6), 1);
  EXPECT_TRUE(privacy_profile({}, NoPrivacy{}).empty());
  EXPECT_THROW(most_true_positives(profile, 1.5), UsageError);
}

}  // namespace
}  // namespace tacit
