#include "noise/stable_releases.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

noise::StableTerms terms() {
  return {.releases = 5,
          .threshold = 60,
          .epsilon = {2},
          .delta = 1e-4,
          .stability = {.value = 1, .norm = Norm::l1, .reason = "test"},
          .stability_range = 100,
          .value = {.value = 1, .reason = "test"},
          .sigma = 2,
          .range = 10,
          .dimension = 2};
}

Sensitive<double> stability(double x) { return {x, terms().stability, Neighbours::replace_one}; }
Sensitive<Vector> value() { return {Vector::Ones(2), terms().value, Neighbours::replace_one}; }

TEST(StableReleases, PassesWhatIsStableAndChargesEverythingAtOnce) {
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({.limit = Approx{20, 0.01}}, *bits);
  noise::StableReleases stream(terms(), meter);
  const std::size_t charged = meter.steps().size();
  EXPECT_EQ(charged, 3u);
  EXPECT_DOUBLE_EQ(std::get<GaussianEvent>(meter.steps()[2].event).mu, 0.5 * std::sqrt(5.0));
  EXPECT_DOUBLE_EQ(std::get<DeltaEvent>(meter.steps()[1].event).delta, 5e-4);
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(stream.release(stability(100), value()).value());
  EXPECT_EQ(meter.steps().size(), charged);
  EXPECT_THROW(stream.release(stability(100), value()), UsageError) << "all were made";
}

TEST(StableReleases, EndsAtTheFirstThatFails) {
  const auto bits = testing::seeded_bits(2);
  RootMeter meter({.limit = Approx{20, 0.01}}, *bits);
  noise::StableReleases stream(terms(), meter);
  EXPECT_FALSE(stream.release(stability(0), value()).value());
  EXPECT_THROW(stream.release(stability(100), value()), UsageError);
}

// At the floor a test passes with probability delta: here 0.01, seen 6 standard deviations of 20000 runs
// around at most; and just as far above the threshold it fails as rarely.
TEST(StableReleases, PassBelowTheFloorAsRarelyAsStated) {
  noise::StableTerms loose = terms();
  loose.delta = 0.01;
  const double floor = noise::StableReleases::floor(loose);
  EXPECT_NEAR(floor, 60 - 2 * std::log(2 / 0.03), 1e-3);
  int passed = 0;
  constexpr int runs = 20000;
  const auto bits = testing::seeded_bits(3);
  for (int k = 0; k < runs; ++k) {
    RootMeter meter({.limit = NoPrivacy{}}, *bits);  // accounts would take long
    noise::StableReleases stream(loose, meter);
    passed += stream.release(stability(floor), value()).value().has_value();
  }
  const double seen = static_cast<double>(passed) / runs, room = 6 * std::sqrt(0.01 * 0.99 / runs);
  EXPECT_LE(seen, 0.01 + room);
  EXPECT_GE(seen, 0.01 - 0.0003 - room);  // (2/3)e^{−x} less e^{−2x}/6
}

TEST(StableReleases, RefusesWhatWasNotPaidFor) {
  const auto bits = testing::seeded_bits(4);
  RootMeter meter({.limit = Approx{20, 0.01}}, *bits);
  noise::StableReleases stream(terms(), meter);
  EXPECT_THROW(stream.release({90, {.value = 2}, Neighbours::replace_one}, value()), UsageError);
  EXPECT_THROW(stream.release(stability(90), {Vector::Ones(2), {.value = 2}, Neighbours::replace_one}),
               UsageError);
  EXPECT_THROW(stream.release(stability(90), {Vector::Ones(3), terms().value, Neighbours::replace_one}),
               UsageError);
  EXPECT_THROW(stream.release(stability(90), {Vector::Ones(2), terms().value, Neighbours::add_remove}),
               UsageError);
  noise::StableTerms wrong = terms();
  wrong.delta = 0;
  EXPECT_THROW(noise::StableReleases::plan(wrong), UsageError);
  wrong = terms();
  wrong.releases = 0;
  EXPECT_THROW(noise::StableReleases::plan(wrong), UsageError);
}

}  // namespace
}  // namespace tacit
