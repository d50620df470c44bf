#include <gtest/gtest.h>

#include <random>

#include "algorithm/clipping/dp_sgd.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

// dp-sgd by the theorems' schedules: sizes, what is returned, and the bound that its certificate states.

namespace tacit::clipping {
namespace {

using enum clipping::Theorem;

Dataset points(std::size_t records) {
  std::mt19937_64 random(7);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{records, 2, {}};
  for (std::size_t i = 0; i < records; ++i) {
    for (int j = 0; j < 2; ++j) rows.values.push_back(normal(random));
    data.labels.push_back(rows.values[2 * i] > 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  return data;
}

Options with(Theorem schedule, Iterate iterate) {
  Options options;
  options.target = Approx{2, 1e-5};
  options.batch = 50;
  options.epochs = 1;
  options.schedule = schedule;
  options.radius = schedule == constrained ? 3 : 0;
  options.iterate = iterate;
  return options;
}

TEST(DpSgdSchedule, SetsWhatTheTheoremSays) {
  Options options;
  options.target = Approx{2, 1e-5};
  options.batch = 200;
  options.schedule = growth;
  options.moment = 3;
  const auto plan = clipping::plan_dp_sgd(2000, 1000, options);
  const auto schedule = plan_schedule(growth, {{2, 1e-5}, 2000, 1000, 200}, {.moment = 3});
  EXPECT_EQ(plan.steps, static_cast<std::uint64_t>(schedule.steps));
  EXPECT_EQ(plan.clip.norm, schedule.clip_norm);
  EXPECT_EQ(plan.step_length, schedule.step_length);
  const double z = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  EXPECT_EQ(z, schedule.noise_multiplier);
  EXPECT_LT(z, 1.02 * calibrate_noise(options.target, plan.rate, schedule.steps))
      << "hardly more than needed";
  options.epochs = 1;
  EXPECT_EQ(clipping::plan_dp_sgd(2000, 1000, options).steps, 10U);
  options.step_length = 1;
  EXPECT_THROW(clipping::plan_dp_sgd(2000, 1000, options), UsageError);
}

TEST(DpSgdSchedule, ConstrainedGoesByItsRadius) {
  Options options = with(constrained, Iterate::random);
  const auto schedule = plan_schedule(constrained, {{2, 1e-5}, 1000, 4, 50, 20}, {.distance = 6});
  const auto plan = clipping::plan_dp_sgd(1000, 4, options);
  EXPECT_EQ(plan.step_length, schedule.step_length);
  EXPECT_EQ(plan.risk_bound, schedule.risk_bound);
  options.radius = 0;
  EXPECT_THROW(clipping::plan_dp_sgd(1000, 4, options), UsageError);
}

TEST(DpSgdSchedule, EachGuessReachesTheTheorem) {
  const auto bound = [](Theorem schedule, auto change) {
    Options options = with(schedule, Iterate::random);
    change(options);
    return clipping::plan_dp_sgd(1000, 4, options).risk_bound.value();
  };
  const auto as_it_is = [](Options&) {};
  for (const Theorem schedule : {constrained, unconstrained, nonconvex}) {
    EXPECT_GT(bound(schedule, [](Options& o) { o.failure = 0.01; }), bound(schedule, as_it_is));
    EXPECT_NE(bound(schedule, [](Options& o) { o.moment_order = 3; }), bound(schedule, as_it_is));
  }
  for (const Theorem schedule : {interpolation, constrained, unconstrained, growth, nonconvex})
    EXPECT_GT(bound(schedule, [](Options& o) { o.moment = 2; }), bound(schedule, as_it_is));
  EXPECT_GT(bound(growth, [](Options& o) { o.growth_radius = 2; }), bound(growth, as_it_is));
  EXPECT_GT(bound(nonconvex, [](Options& o) { o.smoothness = 2; }), bound(nonconvex, as_it_is));
  EXPECT_GT(bound(nonconvex, [](Options& o) { o.initial_gap = 2; }), bound(nonconvex, as_it_is));
}

TEST(DpSgdSchedule, TheBoundIsOfWhatIsReturned) {
  const auto bound = [](Theorem schedule, Iterate iterate) {
    return clipping::plan_dp_sgd(1000, 4, with(schedule, iterate)).risk_bound;
  };
  EXPECT_EQ(bound(unconstrained, Iterate::average), 2 * bound(unconstrained, Iterate::random).value());
  EXPECT_FALSE(bound(unconstrained, Iterate::last));
  EXPECT_TRUE(bound(nonconvex, Iterate::random));
  EXPECT_FALSE(bound(nonconvex, Iterate::average)) << "means of points say nothing of their gradients";
}

TEST(DpSgdSchedule, NonconvexReturnsARandomIterateUnlessToldOtherwise) {
  Facts facts;
  facts.set("epsilon", 2.0), facts.set("delta", 1e-5), facts.set("schedule", std::string("nonconvex"));
  EXPECT_EQ(Options::from(facts).iterate, Iterate::random);
  facts.set("iterate", std::string("last"));
  EXPECT_EQ(Options::from(facts).iterate, Iterate::last);
  Facts other;
  other.set("epsilon", 2.0), other.set("delta", 1e-5), other.set("schedule", std::string("growth"));
  EXPECT_EQ(Options::from(other).iterate, Iterate::average);
}

TEST(DpSgdSchedule, TheCertificateStatesTheTheoremItsGuessesAndItsBoundAndIsRebuiltFromThem) {
  const Dataset data = points(1000);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  const Method& method = find_method("dp-sgd");
  for (const Theorem schedule : {interpolation, constrained, unconstrained, growth, nonconvex}) {
    const auto bits = testing::seeded_bits(5);
    const Options options = with(schedule, Iterate::random);
    RootMeter meter({options.target, Unit::item, options.neighbours}, *bits);
    const Certificate certificate = dp_sgd(problem, options, meter).certificate;
    const Facts& stated = certificate.options;
    EXPECT_EQ(stated.text("schedule"), name(schedule));
    EXPECT_EQ(stated.number("risk_bound"),
              clipping::plan_dp_sgd(1000, shape_of(problem).parameters(), options).risk_bound);
    EXPECT_EQ(method.rebuild_options(stated, certificate.assumed_public).entries(), stated.entries());
    EXPECT_EQ(method.rebuild_steps(stated, certificate.assumed_public).size(), 1u);
    Facts forged = stated;
    forged.set("risk_bound", stated.number("risk_bound") / 2);
    EXPECT_NE(method.rebuild_options(forged, certificate.assumed_public).entries(), forged.entries());
  }
}

}  // namespace
}  // namespace tacit::clipping
