#include "tacit/privacy/root_meter.hpp"

#include <gtest/gtest.h>

#include "tacit/core/error.hpp"

namespace tacit {
namespace {

// Charging draws no bits.
class NoBits : public BitSource {
 public:
  void fill(std::span<std::uint64_t>) override { ADD_FAILURE() << "bits were drawn"; }
  std::string_view name() const override { return "none"; }
  bool seeded() const override { return false; }
};

Step costing(const Event& event) { return {.mechanism = "test", .event = event}; }

TEST(Meter, RefusesAChargeThatDoesNotFitAndStaysAsItWas) {
  NoBits bits;
  RootMeter meter({Pure{1}}, bits);
  meter.charge(costing(PureEvent{0.75}));
  EXPECT_THROW(meter.charge(costing(PureEvent{0.5})), BudgetError);
  EXPECT_EQ(meter.steps().size(), 1U);
  EXPECT_EQ(std::get<Pure>(meter.spent()).epsilon, 0.75);
  EXPECT_NO_THROW(meter.charge(costing(PureEvent{0.125})));
}

TEST(Meter, AStepThatTheHookRefusesIsNotTaken) {
  NoBits bits;
  RootMeter meter({Pure{1}}, bits);
  meter.before_each_step([](const Step&) { throw_error<BudgetError>("the ledger is full"); });
  EXPECT_THROW(meter.charge(costing(PureEvent{0.5})), BudgetError);
  EXPECT_TRUE(meter.steps().empty());
}

TEST(Meter, TheHookIsNotAskedAboutAStepThatDoesNotFit) {
  NoBits bits;
  RootMeter meter({Pure{1}}, bits);
  meter.before_each_step([](const Step&) { ADD_FAILURE() << "the hook was called"; });
  EXPECT_THROW(meter.charge(costing(PureEvent{2})), BudgetError);
}

// The account of Poisson sampling is for a record that is there or not; a replaced one moves the sum twice.
TEST(Meter, RefusesSampledStepsForReplacedRecords) {
  NoBits bits;
  const Step step = costing(PoissonGaussianEvent{1, 0.1, 1});
  RootMeter replaced({Approx{5, 1e-5}}, bits);
  EXPECT_THROW(replaced.charge(step), UsageError);
  EXPECT_TRUE(replaced.steps().empty());
  for (const Neighbours relation : {Neighbours::zero_out, Neighbours::add_remove}) {
    RootMeter zeroed({Approx{5, 1e-5}, Unit::item, relation}, bits);
    EXPECT_NO_THROW(zeroed.charge(step));
  }
}

}  // namespace
}  // namespace tacit
