#include "privacy/accounting/calibrate_pair.hpp"

#include <gtest/gtest.h>

#include <array>

#include "privacy/accounting/calibrate.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

double epsilon_of(double multiplier, const SampledPair& pair, double delta) {
  const std::array<Event, 2> events = {
      PoissonGaussianEvent{multiplier, pair.rate, static_cast<std::uint64_t>(pair.first)},
      PoissonGaussianEvent{pair.ratio * multiplier, pair.rate, static_cast<std::uint64_t>(pair.second)}};
  return account(events, delta).epsilon_upper;
}

TEST(CalibratedPair, MeetsItsTargetAndHardlyMore) {
  for (const Approx target : {Approx{1, 1e-6}, Approx{0.2, 1e-9}, Approx{8, 1e-5}})
    for (const SampledPair pair :
         {SampledPair{0.03, 8, 56, 0.5}, SampledPair{0.5, 1, 3, 4}, SampledPair{1, 4, 60, 0.2}}) {
      const double epsilon = epsilon_of(calibrate_noise_pair(target, pair), pair, target.delta);
      EXPECT_LE(epsilon, target.epsilon);
      EXPECT_GE(epsilon, 0.999 * target.epsilon);
    }
}

TEST(CalibratedPair, OfOneNoiseIsThatOfAllStepsTogether) {
  const Approx target{1, 1e-6};
  const double pair = calibrate_noise_pair(target, {.rate = 0.05, .first = 30, .second = 70, .ratio = 1});
  EXPECT_NEAR(pair / calibrate_noise(target, 0.05, 100), 1, 1e-3);
}

TEST(CalibratedNoise, IsNotLookedForWhereRhoHasNoDigits) {
  EXPECT_THROW(calibrate_noise(Zcdp{1e-320}, 1, 3), UsageError);
  EXPECT_NO_THROW(calibrate_noise(Zcdp{1e-290}, 1, 3));
}

TEST(CalibratedPair, RefusesWhatMakesNoSense) {
  const Approx target{1, 1e-6};
  EXPECT_THROW(calibrate_noise_pair(target, {.rate = 0.05, .first = 0, .second = 70, .ratio = 1}),
               UsageError);
  EXPECT_THROW(calibrate_noise_pair(target, {.rate = 1.5, .first = 1, .second = 70, .ratio = 1}), UsageError);
  EXPECT_THROW(calibrate_noise_pair(target, {.rate = 0.5, .first = 1, .second = 70, .ratio = 0}), UsageError);
}

}  // namespace
}  // namespace tacit
