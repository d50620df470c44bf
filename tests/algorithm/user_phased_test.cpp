#include "algorithm/user_level/user_phased.hpp"

#include <gtest/gtest.h>

#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"
#include "user_data.hpp"

namespace tacit::user_level {
namespace {

PhasedOptions phased_options(double epsilon) {
  PhasedOptions options;
  options.target = {epsilon, 1e-5};
  options.records_per_user = 20;
  options.threads = 1;
  return options;
}

Release fit(const Dataset& data, const PhasedOptions& options, RunCounts* counts = nullptr,
            LossSpec loss = Link{LinkKind::logistic, 0}) {
  const Problem problem{.data = &data, .loss = loss, .intercept = 0};
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({options.target, Unit::user, Neighbours::replace_one}, *bits);
  return user_phased(problem, options, meter, counts);
}

TEST(UserPhased, LearnsInOnePassOverTheRecords) {
  const Dataset data = testing::users_with_a_line(3000, 20, 3, 1);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
  RunCounts counts;
  const Release release = fit(data, phased_options(4), &counts);
  EXPECT_LE(counts.gradients, data.size());
  EXPECT_GE(counts.gradients, data.size() / 2);
  EXPECT_GT(testing::accuracy(problem, release.parameters.value()), 0.85);  // the best is about 0.9
  EXPECT_EQ(release.certificate.unit, Unit::user);
  EXPECT_EQ(release.certificate.options.integer("phases_passed"),
            release.certificate.options.integer("phases"));
  EXPECT_TRUE(fits(release.certificate.guarantee, Approx{4, 1e-5}));
}

TEST(UserPhased, UsesNoMoreRecordsThanTheCap) {
  const Dataset data = testing::users_with_a_line(600, 20, 2, 1);
  PhasedOptions options = phased_options(4);
  options.records_per_user = 3;
  RunCounts counts;
  fit(data, options, &counts);
  EXPECT_LE(counts.gradients, 600u * 3u);
}

TEST(UserPhased, NamesTheLeastNumberOfUsersAndAnotherWay) {
  const Approx target{1, 1e-5};
  for (const bool given : {false, true}) {
    PhasedOptions options = phased_options(1);
    if (given) options.spread = 1;
    const std::size_t least = given ? least_points(target, {}) : user_level::least_chosen_points(target, {});
    try {
      plan_user_phased(least - 1, 5, options);
      FAIL();
    } catch (const InfeasibleError& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("at least {}", least)), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("user-sgd"), std::string::npos);
    }
    EXPECT_NO_THROW(plan_user_phased(least, 5, options));
  }
}

// Half of the users say the opposite of the others, one group each: no point is left, and the start is what
// comes out; it is charged and certified all the same.
TEST(UserPhased, HaltsAtTheStartWhenUsersDisagree) {
  const std::size_t users = 1000;
  Dataset data = testing::users_with_a_line(users, 20, 2, 1);
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data.users[i] % 2 == 0) data.labels[i] = -data.labels[i];
  PhasedOptions options = phased_options(4);
  options.phases = 1;
  options.groups = 1000;
  options.spread = 0.3;
  const Release release = fit(data, options);
  EXPECT_EQ(release.parameters.value().norm(), 0);
  EXPECT_EQ(release.certificate.options.integer("phases_passed"), 0);
  EXPECT_EQ(release.certificate.steps.size(), 3u);
}

// A row that is no use, a label that is huge, a user with everything: it runs to its end.
TEST(UserPhased, TakesAnyRecords) {
  Dataset data = testing::users_with_a_line(400, 3, 2, 1);
  DenseRows rows = data.features.dense_rows();
  for (std::size_t k = 0; k < 50; ++k) rows.values[k] = k % 2 == 0 ? 1e300 : -1e300;
  data.features = Features(std::move(rows));
  for (std::size_t i = 0; i < 600; ++i) data.users[i] = 7;
  for (const LossSpec& loss : {LossSpec(Link{LinkKind::squared, 0}), LossSpec(Link{LinkKind::hinge, 0})})
    EXPECT_TRUE(fit(data, phased_options(8), nullptr, loss).parameters.value().allFinite());
}

TEST(UserPhased, RebuildsItsStepsFromTheCertificate) {
  const Dataset data = testing::users_with_a_line(2000, 2, 2, 1);
  const Release release = fit(data, phased_options(4));
  const auto steps = find_method("user-phased")
                         .rebuild_steps(release.certificate.options, release.certificate.assumed_public);
  ASSERT_EQ(steps.size(), release.certificate.steps.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    EXPECT_EQ(steps[k].event, release.certificate.steps[k].event);
    EXPECT_EQ(steps[k].scale, release.certificate.steps[k].scale);
  }
}

// Theorem 2.1 by its constants: no other number of phases or groups of the grid has a lower bound.
TEST(UserPhased, TheScheduleMakesTheBoundLeast) {
  PhasedOptions options = phased_options(3);
  options.schedule = user_level::Schedule::theorem;
  for (const std::size_t users : {1000u, 20000u, 1000000u}) {
    const PhasedOptions chosen = with_schedule(users, 5, options);
    const auto bound = phased_bound(users, 5, static_cast<std::size_t>(*chosen.phases),
                                    static_cast<std::size_t>(*chosen.groups), options);
    EXPECT_EQ(*chosen.step, bound.step);
    for (const std::size_t phases : {1u, 2u, 4u, 8u})
      for (std::size_t groups = 302; groups <= (users >> (phases - 1)); groups *= 2)
        EXPECT_LE(bound.risk, phased_bound(users, 5, phases, groups, options).risk * (1 + 1e-12))
            << users << ' ' << phases << ' ' << groups;
  }
}

TEST(UserPhased, TheBoundFallsLikeTheRootOfTheRecords) {
  PhasedOptions options = phased_options(3);
  options.schedule = user_level::Schedule::theorem;
  const auto risk = [&](std::size_t users) {
    const PhasedOptions chosen = with_schedule(users, 5, options);
    return phased_bound(users, 5, static_cast<std::size_t>(*chosen.phases),
                        static_cast<std::size_t>(*chosen.groups), options)
        .risk;
  };
  EXPECT_NEAR(risk(16000000) / risk(1000000), 0.25, 0.01);
  EXPECT_NEAR(risk(1000000) / risk(62500), 0.25, 0.02);
}

// Groups that are just enough for the test leave no pair to spare: any tau beyond the widest pair is as good,
// and one far too wide is chosen as often as not. The schedule takes enough of them.
TEST(UserPhased, TheScheduleFindsATauThatIsNotTooWide) {
  const Dataset data = testing::users_with_a_line(3000, 20, 3, 1);
  const auto widest = [&](const PhasedOptions& options) {
    const Release release = fit(data, options);
    const PhasedOptions stated = PhasedOptions::from(release.certificate.options);
    const auto plan = plan_user_phased(3000, 3, stated);
    double most = 0;
    for (std::size_t i = 0; i < plan.phases.size(); ++i) {
      const auto& phase = plan.phases[i];
      const double steps = static_cast<double>(phase.users / phase.groups * 20);
      const double tau = release.certificate.options.number(fmt::format("tau_{}", i + 1));
      most = std::max(most, tau / (phase.step * std::sqrt(steps)));
    }
    return most;
  };
  PhasedOptions options = phased_options(4);
  options.schedule = user_level::Schedule::theorem;
  EXPECT_LT(widest(options), 3);
  options.groups = static_cast<std::int64_t>(user_level::least_chosen_points(options.target, options.share));
  EXPECT_GT(widest(options), 3);
}

TEST(UserPhased, TheScheduleStandsInTheCertificateAsNumbers) {
  const Dataset data = testing::users_with_a_line(2000, 2, 2, 1);
  PhasedOptions options = phased_options(4);
  options.schedule = user_level::Schedule::theorem;
  const Release release = fit(data, options);
  const Facts& stated = release.certificate.options;
  EXPECT_FALSE(stated.has("schedule"));
  const auto again = find_method("user-phased").rebuild_steps(stated, release.certificate.assumed_public);
  ASSERT_EQ(again.size(), release.certificate.steps.size());
  for (std::size_t k = 0; k < again.size(); ++k)
    EXPECT_EQ(again[k].event, release.certificate.steps[k].event);
  const PhasedOptions chosen = with_schedule(2000, 2, options);
  EXPECT_EQ(stated.integer("groups"), *chosen.groups);
  EXPECT_EQ(stated.number("step"), *chosen.step);
  EXPECT_EQ(stated.integer("phases"), *chosen.phases);
}

TEST(UserPhased, RefusesBadOptionsAndOtherBudgets) {
  PhasedOptions options = phased_options(1);
  options.groups = 7;
  EXPECT_THROW(options.validate(), UsageError);
  options = phased_options(1);
  options.share.core = 0.6;
  EXPECT_THROW(options.validate(), UsageError);
  const Dataset data = testing::users_with_a_line(10, 2, 2, 1);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({Approx{1, 1e-5}, Unit::item, Neighbours::replace_one}, *bits);
  EXPECT_THROW(user_phased(problem, phased_options(1), meter), UsageError);
}

}  // namespace
}  // namespace tacit::user_level
