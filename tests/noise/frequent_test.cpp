#include "noise/frequent.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

const Sensitivity one{.value = 1, .slack = 0, .norm = Norm::l2, .reason = "a record has one text"};

noise::TextCounts release(const noise::TextCounts& counts, double sigma, double failure, BitSource& bits) {
  RootMeter meter({NoPrivacy{}, Unit::item, Neighbours::zero_out}, bits);
  const Sensitive<noise::TextCounts> sensitive(counts, one, Neighbours::zero_out);
  return noise::frequent(sensitive, sigma, 1000, failure, meter).value();
}

// 40 000 draws: five standard deviations of a share of p are 5·√(p(1 − p)/40000).
double share_told(double count, double sigma, double failure) {
  const auto bits = testing::seeded_bits(17);
  int told = 0;
  constexpr int draws = 400, texts = 100;
  noise::TextCounts counts;
  for (int t = 0; t < texts; ++t) counts.emplace_back(fmt::format("text {:03}", t), count);
  for (int k = 0; k < draws; ++k) told += static_cast<int>(release(counts, sigma, failure, *bits).size());
  return told / static_cast<double>(draws * texts);
}

TEST(FrequentTexts, ATextThatOneUnitHasIsToldAsOftenAsTheFailureSaysAndNoOftener) {
  for (const double failure : {0.2, 0.02, 0.003}) {
    const double deviation = std::sqrt(failure * (1 - failure) / 40000);
    EXPECT_NEAR(share_told(1, 3, failure), failure, 5 * deviation) << failure;
  }
}

// The control: of two units the text is told more often than that.
TEST(FrequentTexts, ACountOfTwoWouldBreakTheFailure) {
  EXPECT_GT(share_told(2, 3, 0.02), 0.02 + 5 * std::sqrt(0.02 * 0.98 / 40000));
}

TEST(FrequentTexts, WhatLeavesLiesOnTheGridAboveTheThreshold) {
  const auto bits = testing::seeded_bits(3);
  const Step step = noise::plan_frequent(one, 2, 1000);
  EXPECT_EQ(step.dimension, 0u) << "how many texts there are is not public";
  EXPECT_EQ(step.event, Event(GaussianEvent{0.5}));
  const auto left = release({{"a", 100}, {"b", 0}, {"c", 50}}, 2, 1e-6, *bits);
  ASSERT_EQ(left.size(), 2u);
  for (const auto& [text, count] : left) {
    EXPECT_EQ(std::fmod(count, step.grid), 0);
    EXPECT_GE(count, noise::frequent_threshold(step, 1e-6));
  }
  EXPECT_EQ(left[0].first, "a");
  EXPECT_NEAR(left[0].second, 100, 15);
}

// P(1 + N ≥ threshold − half a cell) ≤ failure, at depths where a table of the normal law ends.
TEST(FrequentTexts, TheThresholdIsHighEnoughDeepInTheTail) {
  for (const double failure : {0.3, 1e-3, 1e-9, 1e-18, 1e-60, 1e-300}) {
    const Step step = noise::plan_frequent(one, 5, 1000);
    const double z = (noise::frequent_threshold(step, failure) - step.grid / 2 - 1) / 5;
    EXPECT_LE(0.5 * std::erfc(z / std::sqrt(2.0)), failure) << failure;
    EXPECT_GE(0.5 * std::erfc((z - 1e-3) / std::sqrt(2.0)), failure) << failure << ": needlessly high";
  }
  EXPECT_THROW(noise::frequent_threshold(noise::plan_frequent(one, 5, 1000), 0), UsageError);
}

TEST(FrequentTexts, NoTextIsNoError) {
  const auto bits = testing::seeded_bits(4);
  EXPECT_TRUE(release({}, 1, 1e-6, *bits).empty());
}

}  // namespace
}  // namespace tacit
