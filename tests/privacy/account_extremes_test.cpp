#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacit/account.hpp"
#include "tacit/core.hpp"

// Costs of very different sizes side by side: no grid resolves them all, and none may be lost.

namespace tacit {
namespace {

using Events = std::vector<Event>;

// What is charged for one event alone is charged with others beside it, too.
void expect_no_less_than_alone(const Events& events, double delta) {
  const Bracket all = account(events, delta);
  EXPECT_LE(all.epsilon_lower, all.epsilon_upper);
  for (const Event& event : events) {
    const Bracket alone = account(Events{event}, delta);
    EXPECT_GE(all.epsilon_upper, alone.epsilon_lower) << "beside " << events.size() - 1 << " others";
  }
}

TEST(AccountExtremes, NegligibleEventsDoNotHideLargeOnes) {
  for (const Events& events : std::vector<Events>{
           {PureEvent{1e-20}, PureEvent{1e-20}, PureEvent{30}},
           {PureEvent{1e-20}, PureEvent{1e-20}, PureEvent{1}},
           {PureEvent{1e-19}, PureEvent{1e-19}, PureEvent{1}},
           {PureEvent{1e-9}, PureEvent{1e-9}, PureEvent{1e11}},
           {PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, PureEvent{1e18}},
           {PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, PureEvent{1e20}},
           {PureEvent{1e-30}, PureEvent{1e-30}, PureEvent{1}, PureEvent{1}, PureEvent{1}},
           {LaplaceEvent{1e-20}, LaplaceEvent{1e-20}, PureEvent{5}},
           {PureEvent{1e-20}, PureEvent{1e-20}, ApproxEvent{5, 1e-9}},
           {PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, BoundedRangeEvent{1e6}},
           {PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, BoundedRangeEvent{1e20}},
           {PoissonGaussianEvent{1, 0.01, 1000}, PureEvent{1e-7}},
           {PoissonGaussianEvent{1, 0.01, 1000}, PureEvent{1e9}}})
    expect_no_less_than_alone(events, 1e-6);
}

// A grid so fine beside so large an event has millions of points.
TEST(LongAccountExtremes, NegligibleEventsDoNotHideLargeOnes) {
  expect_no_less_than_alone(
      {PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, PureEvent{0.1}, BoundedRangeEvent{1e12}}, 1e-6);
}

TEST(AccountExtremes, DeltaOfALargeEventStaysBesideNegligibleOnes) {
  const Events events = {PureEvent{1e-20}, PureEvent{1e-20}, PureEvent{1}};
  const double alone = account_delta(Events{PureEvent{1}}, 0.5).delta_lower;
  const DeltaBracket all = account_delta(events, 0.5);
  EXPECT_GE(all.delta_upper, alone);
  EXPECT_GT(alone, 0.28);
}

// Three steps that all see a record with probability 1/8, with next to no noise: epsilon is about T/(2σ²).
TEST(AccountExtremes, StepsWithHardlyAnyNoiseCostWhatTheyShow) {
  EXPECT_GE(account_poisson_gaussian(1e-15, 0.5, 3, 1e-5).epsilon_upper, 1.4e30);
}

void expect_sane_mixes(int draws, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  const auto size = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution(std::log(low), std::log(high))(bits));
  };
  for (int k = 0; k < draws; ++k) {
    Events events;
    for (int kinds = 2; kinds > 0; --kinds) {
      const double epsilon = size(1e-25, 1e15);
      const int copies = 1 + static_cast<int>(bits() % 4);
      for (int copy = 0; copy < copies; ++copy) switch (bits() % 4) {
          case 0:
            events.push_back(PureEvent{epsilon});
            break;
          case 1:
            events.push_back(LaplaceEvent{epsilon});
            break;
          case 2:
            events.push_back(ApproxEvent{epsilon, 1e-12});
            break;
          default:
            events.push_back(BoundedRangeEvent{epsilon});
        }
    }
    expect_no_less_than_alone(events, size(1e-12, 1e-2));
  }
}
// An account of events that are 10²⁰ apart takes up to half a minute.
TEST(LongAccountExtremes, MixesOfAnySizesCostNoLessThanTheirParts) { expect_sane_mixes(100, 2); }

TEST(AccountExtremes, MoreStepsThanCanBeCountedAreRefused) {
  EXPECT_THROW(account(Events{PoissonGaussianEvent{1, 0.01, std::uint64_t{1} << 60}}, 1e-6), UsageError);
}

}  // namespace
}  // namespace tacit
