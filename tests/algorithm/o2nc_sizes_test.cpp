#include <gtest/gtest.h>

#include "o2nc_problem.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

// What is asked for is done, or refused in words that name the flags.

namespace tacit::nonconvex {
namespace {

using testing::regression;
using testing::single;

std::string refusal(std::size_t records, const Options& options) {
  try {
    nonconvex::plan_o2nc(records, 2, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool names(const std::string& message, std::string_view flag) {
  return message.find(flag) != std::string::npos;
}

TEST(O2ncSizes, KeepTheStepsThatAreAskedFor) {
  for (const std::int64_t steps : {1, 7, 97, 100}) {
    Options options = single(1);
    options.steps = steps;
    EXPECT_EQ(nonconvex::plan_o2nc(10000, 2, options).sizes.steps, static_cast<std::size_t>(steps));
    options.schedule = Schedule::theorem;
    options.smoothing = 0.2;
    const nonconvex::Sizes sizes = nonconvex::plan_o2nc(10000, 2, options).sizes;
    EXPECT_EQ(sizes.steps, static_cast<std::size_t>(steps));
    EXPECT_EQ(sizes.steps % sizes.averaging, 0u);
  }
}

TEST(O2ncSizes, TakeBlocksFromTheEndWhereTheyDoNotDivideTheSteps) {
  const auto loss = regression(500, 2, 4);
  Options options = single(1);
  options.steps = 11;
  options.averaging = 4;
  const auto bits = testing::seeded_bits(3);
  RootMeter meter({options.target}, *bits);
  std::vector<Vector> path;
  const Vector w =
      minimise(record_loss(loss), Vector::Zero(2), options, meter, [&](std::size_t, const Vector& z) {
        path.push_back(z);
      }).value();
  ASSERT_EQ(path.size(), 11u);
  const Vector mean = (path[7] + path[8] + path[9] + path[10]) / 4;
  EXPECT_LE((mean - w).norm(), 2 * nonconvex::plan_o2nc(500, 2, options).release.grid);
}

TEST(O2ncSizes, RefuseBlocksAndPeriodsLongerThanTheRun) {
  Options options = single(1);
  options.steps = 16;
  options.averaging = 17;
  EXPECT_TRUE(names(refusal(1000, options), "averaging is"));
  options.averaging.reset();
  options.period = 17;
  EXPECT_TRUE(names(refusal(1000, options), "period is"));
  options.period = 16;
  EXPECT_EQ(refusal(1000, options), "");
}

TEST(O2ncSizes, SayWhatToLowerWhereRecordsAreTooFew) {
  Options options = single(1);
  options.steps = 4;
  EXPECT_TRUE(names(refusal(3, options), "fewer steps"));
  EXPECT_TRUE(names(refusal(3, options), "o2nc-multi"));
  options.period = 4;
  EXPECT_TRUE(names(refusal(3, options), "period = "));
}

TEST(O2ncSizes, TheTheoremRefusesBlocksThatLeaveTheBall) {
  Options options = single(1);
  options.schedule = Schedule::theorem;
  options.smoothing = 0.2;
  options.step_cap = 0.1;
  options.averaging = 3;
  EXPECT_TRUE(names(refusal(1000, options), "averaging times"));
  options.averaging = 2;
  EXPECT_EQ(refusal(1000, options), "");
}

TEST(O2ncSizes, OptionsWithoutEffectAreRefused) {
  const auto read = [](const char* key, bool theorem) {
    Facts facts;
    facts.set("mu", 1.0);
    facts.set("smoothing", 0.2);
    facts.set(key, 2.0);
    if (theorem) facts.set("schedule", std::string("theorem"));
    return Options::from(facts, Pass::single, Estimate::values);
  };
  EXPECT_THROW(read("gap", false), UsageError);
  EXPECT_THROW(read("radius", true), UsageError);
  EXPECT_EQ(read("gap", true).gap, 2);
  EXPECT_EQ(read("radius", false).radius, 2);
}

}  // namespace
}  // namespace tacit::nonconvex
