#include "tacit/root_meter.hpp"

#include <gtest/gtest.h>

#include "tacit/core.hpp"

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

Step nested(const Event& event, const Nesting& nesting, std::vector<Step> inner) {
  Step step = costing(event);
  step.mechanism = "whole";
  step.nesting = nesting;
  step.inner = std::move(inner);
  return step;
}

Step taken(const Event& event, std::uint64_t times) {
  Step step = costing(event);
  step.times = times;
  return step;
}

const Budget for_users{Approx{1, 1e-5}, Unit::user, Neighbours::zero_out};

TEST(Meter, AChildAdmitsThePlannedStepsAloneEachAsOftenAsPlanned) {
  NoBits bits;
  RootMeter meter({Gaussian{2}}, bits);
  Meter child = meter.child(nested(GaussianEvent{1.5}, Composed{}, {taken(GaussianEvent{1}, 2)}));
  EXPECT_THROW(child.charge(costing(GaussianEvent{1.1})), BudgetError) << "costs more than planned";
  EXPECT_THROW(child.charge(costing(PureEvent{0.1})), BudgetError) << "another kind";
  Step other = costing(GaussianEvent{1});
  other.mechanism = "other";
  EXPECT_THROW(child.charge(other), BudgetError);
  child.charge(costing(GaussianEvent{1}));
  child.charge(costing(GaussianEvent{0.5}));
  EXPECT_THROW(child.charge(costing(GaussianEvent{0.5})), BudgetError) << "a third time";
  ASSERT_EQ(meter.steps().size(), 1U) << "the parent was charged once, for the whole";
  EXPECT_EQ(std::get<Gaussian>(meter.spent()).mu, 1.5);
}

TEST(Meter, ACheapStepLeavesTheDearerPlanToTheDearerStep) {
  NoBits bits;
  RootMeter meter({Gaussian{2}}, bits);
  Meter child = meter.child(
      nested(GaussianEvent{1.2}, Composed{}, {costing(GaussianEvent{1}), costing(GaussianEvent{0.5})}));
  child.charge(costing(GaussianEvent{0.5}));
  EXPECT_NO_THROW(child.charge(costing(GaussianEvent{1})));
}

TEST(Meter, RefusesToOpenAStepThatCostsLessThanWhatIsWithinIt) {
  NoBits bits;
  const Step one = costing(PureEvent{0.5}), gaussian = costing(GaussianEvent{1});
  RootMeter pure({Pure{9}}, bits), several({Gaussian{9}}, bits), replaced({Approx{9, 1e-3}}, bits);
  const auto refuses = [](RootMeter& meter, const Step& step) {
    EXPECT_THROW(meter.child(step), BudgetError);
    EXPECT_TRUE(meter.steps().empty());
  };
  refuses(pure, nested(PureEvent{0.9}, Composed{}, {one, one}));
  refuses(pure, nested(PureEvent{0.9}, Composed{}, {taken(PureEvent{0.5}, 2)}));
  refuses(pure, nested(PureEvent{0.4}, Parallel{}, {one, one}));
  refuses(pure, nested(PureEvent{0.4}, OneOf{}, {one, one}));
  refuses(pure, nested(PureEvent{0.9}, RepeatAndSelect{}, {one}));
  refuses(several, nested(GaussianEvent{1.41}, Composed{}, {gaussian, gaussian}));
  refuses(several, nested(GaussianEvent{1.41}, Composed{}, {taken(GaussianEvent{1}, 2)}));
  // ln(1 + 0.1(e − 1)) = 0.158…
  refuses(replaced, nested(ApproxEvent{0.158, 1e-6}, Sampled{0.1}, {costing(ApproxEvent{1, 1e-5})}));
  // Deep in the tree as well.
  refuses(pure, nested(PureEvent{1}, Parallel{}, {nested(PureEvent{0.9}, Composed{}, {one, one})}));
}

TEST(Meter, OpensAStepThatCoversWhatIsWithinIt) {
  NoBits bits;
  const Step one = costing(PureEvent{0.5}), gaussian = costing(GaussianEvent{1});
  RootMeter pure({Pure{9}}, bits), several({Gaussian{9}}, bits), replaced({Approx{9, 1e-3}}, bits);
  EXPECT_NO_THROW(pure.child(nested(PureEvent{1.0000001}, Composed{}, {one, one})));
  EXPECT_NO_THROW(pure.child(nested(PureEvent{0.5}, Parallel{}, {one, one})));
  EXPECT_NO_THROW(pure.child(nested(PureEvent{0.5}, OneOf{}, {one, one})));
  EXPECT_NO_THROW(pure.child(nested(PureEvent{1}, RepeatAndSelect{}, {one})));
  EXPECT_NO_THROW(several.child(nested(GaussianEvent{1.415}, Composed{}, {gaussian, gaussian})));
  EXPECT_NO_THROW(
      replaced.child(nested(ApproxEvent{0.16, 1.1e-6}, Sampled{0.1}, {costing(ApproxEvent{1, 1e-5})})));
}

// (1, 1e-5) for a user with two records is (0.5, 1e-5·(e^½ − 1)/(e − 1)) for each: 3.7e-6.
TEST(Meter, AGroupsChildProtectsRecordsWithWhatIsLeftToEach) {
  NoBits bits;
  RootMeter enough(for_users, bits), more(for_users, bits);
  const auto group = [](double delta) {
    return nested(ApproxEvent{1, 1e-5}, Group{2}, {costing(ApproxEvent{0.499, delta})});
  };
  Meter child = enough.child(group(3.7e-6));
  EXPECT_EQ(child.budget().unit, Unit::item);
  EXPECT_LE(std::get<Approx>(child.budget().limit).epsilon, 0.5);
  EXPECT_THROW(more.child(group(3.9e-6)), BudgetError);
}

TEST(Meter, EachDisjointPartIsOpenedOnceWithItsOwnSteps) {
  NoBits bits;
  RootMeter meter({Approx{1, 1e-5}}, bits);
  meter.charge(
      nested(LaplaceEvent{0.5}, Parallel{}, {costing(LaplaceEvent{0.5}), costing(LaplaceEvent{0.2})}));
  meter.charge(nested(DeltaEvent{1e-6}, Parallel{}, {costing(DeltaEvent{1e-6}), costing(DeltaEvent{1e-7})}));
  Meter first = meter.next_part(), second = meter.next_part();
  EXPECT_NO_THROW(first.charge(costing(LaplaceEvent{0.5})));
  EXPECT_THROW(second.charge(costing(LaplaceEvent{0.5})), BudgetError);
  EXPECT_NO_THROW(second.charge(costing(LaplaceEvent{0.2})));
  EXPECT_NO_THROW(second.charge(costing(DeltaEvent{1e-7})));
  EXPECT_THROW(meter.next_part(), UsageError);
}

TEST(Meter, OneOfSeveralIsTakenOnceAndACandidateAsOftenAsHidden) {
  NoBits bits;
  RootMeter meter({Pure{4}}, bits);
  const Step one = costing(PureEvent{1}), other = costing(PureEvent{0.5});
  Meter choice = meter.child(nested(PureEvent{1}, OneOf{}, {one, other}));
  choice.charge(other);
  EXPECT_THROW(choice.charge(one), BudgetError);
  const Step candidate = nested(PureEvent{1}, Composed{}, {one});
  Meter runs = meter.child(nested(PureEvent{2}, RepeatAndSelect{}, {candidate}));
  for (int k = 0; k < 5; ++k) {
    Meter run = runs.child(candidate);
    run.charge(one);
    EXPECT_THROW(run.charge(one), BudgetError);
  }
  EXPECT_EQ(meter.steps()[1].inner.size(), 1U) << "how often it was run is nobody's to know";
}

// Their theorems are for other relations.
TEST(Meter, RefusesRulesThatTheRelationHasNoTheoremFor) {
  NoBits bits;
  RootMeter added({Approx{9, 1e-3}, Unit::item, Neighbours::add_remove}, bits);
  EXPECT_THROW(added.child(nested(PureEvent{1}, Parallel{}, {costing(PureEvent{1})})), UsageError);
  RootMeter zeroed({Approx{9, 1e-3}, Unit::item, Neighbours::zero_out}, bits);
  EXPECT_THROW(zeroed.child(nested(ApproxEvent{0.16, 1.1e-6}, Sampled{0.1}, {costing(ApproxEvent{1, 1e-5})})),
               UsageError);
}

}  // namespace
}  // namespace tacit
