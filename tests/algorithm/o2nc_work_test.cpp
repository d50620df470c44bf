#include <gtest/gtest.h>

#include <atomic>

#include "o2nc_problem.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

// How much a run takes is known, told and limited before it is charged.

namespace tacit::nonconvex {
namespace {

using testing::regression;
using testing::single;

struct CountingLoss {
  std::size_t count_records;
  mutable std::atomic<std::uint64_t> evaluations{0};

  std::size_t records() const { return count_records; }
  std::size_t parameters() const { return 2; }
  double value(const Vector& w, std::size_t) const { return ++evaluations, w[0]; }
  void gradient(const Vector&, std::size_t, std::span<double> g) const { ++evaluations, g[0] = 1; }
};

TEST(O2ncWork, IsPlannedToTheLastEvaluation) {
  for (const Pass pass : {Pass::single, Pass::multi})
    for (const Estimate estimate : {Estimate::values, Estimate::gradients})
      for (const std::int64_t period : {1, 4}) {
        Options options = single(1);
        options.pass = pass;
        options.estimate = estimate;
        options.steps = 10;
        options.period = period;
        options.directions = 3;
        const CountingLoss loss{.count_records = 500};
        const auto bits = testing::seeded_bits(1);
        RootMeter meter({options.target}, *bits);
        minimise(record_loss(loss), Vector::Zero(2), options, meter);
        EXPECT_EQ(nonconvex::plan_o2nc(500, 2, options).evaluations, static_cast<double>(loss.evaluations))
            << static_cast<int>(pass) << static_cast<int>(estimate) << period;
      }
}

TEST(O2ncWork, BeyondTheLimitIsRefusedBeforeAnyCharge) {
  const auto loss = regression(500, 2, 4);
  Options options = single(1);
  options.steps = 8;
  options.work_limit = 100;
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({options.target}, *bits);
  try {
    minimise(record_loss(loss), Vector::Zero(2), options, meter);
    FAIL() << "a run beyond the limit was made";
  } catch (const InfeasibleError& error) {
    for (const char* option : {"work-limit of", "fewer steps", "directions"})
      EXPECT_NE(std::string(error.what()).find(option), std::string::npos) << error.what();
  }
  EXPECT_TRUE(meter.steps().empty());
}

struct Heard : WorkListener {
  std::vector<std::string> lines;
  std::uint64_t calls = 0, last = 0, planned = 0;

  void announced(const std::string& what) override { lines.push_back(what); }
  void advanced(std::uint64_t done, std::uint64_t of) override { ++calls, last = done, planned = of; }
};

TEST(O2ncWork, IsAnnouncedWhereItIsLongAndOnlyThere) {
  Heard heard;
  const ListenScope listening(&heard);
  Options options = single(1);
  options.pass = Pass::multi;
  nonconvex::announce(nonconvex::plan_o2nc(500, 2, options), options);
  EXPECT_TRUE(heard.lines.empty());
  // 64 hidden units over 8 columns.
  nonconvex::announce(nonconvex::plan_o2nc(2000, 641, options), options);
  ASSERT_EQ(heard.lines.size(), 1u);
  EXPECT_NE(heard.lines[0].find("641 parameters"), std::string::npos) << heard.lines[0];
  options.work_limit = 1e10;
  EXPECT_THROW(nonconvex::announce(nonconvex::plan_o2nc(2000, 641, options), options), InfeasibleError);
}

TEST(O2ncWork, TellsEveryStep) {
  Heard heard;
  const ListenScope listening(&heard);
  const auto loss = regression(500, 2, 4);
  Options options = single(1);
  options.steps = 9;
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({options.target}, *bits);
  minimise(record_loss(loss), Vector::Zero(2), options, meter);
  EXPECT_EQ(heard.calls, 9u);
  EXPECT_EQ(heard.last, 9u);
  EXPECT_EQ(heard.planned, 9u);
}

}  // namespace
}  // namespace tacit::nonconvex
