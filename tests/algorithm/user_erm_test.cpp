#include "tacit/algorithm/user_level/user_erm.hpp"

#include <gtest/gtest.h>

#include "support/seeded_bits.hpp"
#include "tacit/core/error.hpp"
#include "tacit/privacy/account.hpp"
#include "user_data.hpp"

namespace tacit {
namespace {

using user_level::Accelerated;
using user_level::AccelerationFacts;
using user_level::ErmOptions;
using user_level::RunCounts;
using user_level::Sampling;
using user_level::user_erm;

ErmOptions options_for(double epsilon) {
  ErmOptions options;
  options.target = {epsilon, 1e-5};
  options.records_per_user = 20;
  options.row_bound = 1;
  options.threads = 1;
  return options;
}

Release fit(const Dataset& data, const ErmOptions& options, RunCounts* counts = nullptr,
            LinkKind kind = LinkKind::logistic) {
  const Problem problem{.data = &data, .loss = Link{kind, 0}, .intercept = 0};
  const auto bits = testing::seeded_bits(1);
  Meter meter({options.target, Unit::user, Neighbours::replace_one}, *bits);
  return user_erm(problem, options, meter, counts);
}

double accuracy_of(const Dataset& data, const Release& release) {
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
  return testing::accuracy(problem, release.parameters.value());
}

TEST(UserErm, LearnsFromAllUsersInEveryStep) {
  const Dataset data = testing::users_with_a_line(1200, 20, 3, 1);
  RunCounts counts;
  const Release release = fit(data, options_for(4), &counts);
  EXPECT_GT(accuracy_of(data, release), 0.85);  // the best is about 0.9
  EXPECT_EQ(counts.gradients, 30 * data.size());
  EXPECT_EQ(release.certificate.unit, Unit::user);
  EXPECT_EQ(release.certificate.options.integer("phases_passed"), 1);
  EXPECT_TRUE(fits(release.certificate.guarantee, Approx{4, 1e-5}));
}

TEST(UserErm, LearnsFromSamplesWithFewerGradients) {
  const Dataset data = testing::users_with_a_line(8000, 5, 3, 1);
  ErmOptions options = options_for(8);
  options.records_per_user = 5;
  options.sampling = Sampling::sample;
  options.batch = 1000;
  options.iterations = 15;
  RunCounts counts;
  const Release release = fit(data, options, &counts);
  EXPECT_EQ(counts.gradients, 15u * 1000u * 5u);
  EXPECT_GT(accuracy_of(data, release), 0.8);
  EXPECT_TRUE(fits(release.certificate.guarantee, Approx{8, 1e-5}));
}

TEST(UserErm, LearnsKinkedLossesSmoothed) {
  const Dataset data = testing::users_with_a_line(1200, 20, 3, 1);
  EXPECT_GT(accuracy_of(data, fit(data, options_for(4), nullptr, LinkKind::hinge)), 0.85);
}

TEST(UserErm, ShrinksItsBallsUnderStrongConvexity) {
  ErmOptions options = options_for(4);
  options.strong_convexity = 0.5;
  const Shape shape{.records = 40000 * 20, .features = 3, .outputs = 1, .loss = Link{LinkKind::logistic, 0}};
  const auto plan = plan_user_erm(shape, 40000, options);
  ASSERT_EQ(plan.phases.size(), 3u);
  EXPECT_LT(plan.phases[1].facts.gap, plan.phases[0].facts.gap);
  const Dataset data = testing::users_with_a_line(2500, 20, 3, 1);
  EXPECT_GT(accuracy_of(data, fit(data, options)), 0.85);
}

TEST(UserErm, NamesTheLeastNumberOfUsers) {
  const Shape shape{.records = 1, .features = 3, .outputs = 1, .loss = Link{LinkKind::logistic, 0}};
  const ErmOptions options = options_for(1);
  const std::size_t least = user_level::least_points(30, options.target, options.share);
  try {
    plan_user_erm(shape, least - 2, options);
    FAIL();
  } catch (const InfeasibleError& error) {
    EXPECT_NE(std::string(error.what()).find(fmt::format("at least {}", least)), std::string::npos);
  }
  EXPECT_NO_THROW(plan_user_erm(shape, least, options));
}

// Gradients of two kinds, far apart: the first test fails.
TEST(UserErm, HaltsAtTheStartWhenUsersDisagree) {
  Dataset data = testing::users_with_a_line(1200, 20, 2, 1);
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data.users[i] % 2 == 0) data.labels[i] = -data.labels[i];
  ErmOptions options = options_for(4);
  const Release release = fit(data, options);
  EXPECT_EQ(release.parameters.value().norm(), 0);
  EXPECT_EQ(release.certificate.options.integer("phases_passed"), 0);
}

TEST(UserErm, RebuildsItsStepsFromTheCertificate) {
  const Dataset data = testing::users_with_a_line(4000, 2, 2, 1);
  for (const Sampling sampling : {Sampling::all, Sampling::sample}) {
    ErmOptions options = options_for(8);
    options.sampling = sampling;
    options.iterations = 5;
    if (sampling == Sampling::sample) options.batch = 1500;
    const Release release = fit(data, options);
    const auto steps = find_method("user-erm")
                           .rebuild_steps(release.certificate.options, release.certificate.assumed_public);
    ASSERT_EQ(steps.size(), release.certificate.steps.size());
    for (std::size_t k = 0; k < steps.size(); ++k) {
      EXPECT_EQ(steps[k].event, release.certificate.steps[k].event);
      EXPECT_EQ(steps[k].scale, release.certificate.steps[k].scale);
    }
  }
}

// ½·Σ λ_k(x_k − 1)², condition 400: accelerated stages of 4√(2·400) steps halve the gap at least; plain
// gradient descent of as many steps is far behind.
TEST(Accelerated, HalvesTheGapInEveryStage) {
  const Vector curvature = Vector::LinSpaced(20, 1, 400);
  const auto value = [&](const Vector& x) {
    return 0.5 * (curvature.array() * (x.array() - 1).square()).sum();
  };
  const Vector start = Vector::Zero(20);
  const AccelerationFacts facts{.smoothness = 400, .strong_convexity = 1, .variance = 0, .gap = value(start)};
  const std::size_t steps = 4 * 114;
  Accelerated method(start, 100, facts, plan_stages(steps, facts));
  Vector plain = start;
  for (std::size_t t = 0; t < steps; ++t) {
    method.step((curvature.array() * (method.query().array() - 1)).matrix());
    plain -= (curvature.array() * (plain.array() - 1)).matrix() / 400;
  }
  EXPECT_LT(value(method.result()), value(start) / 16);
  EXPECT_LT(value(method.result()), 0.1 * value(plain));
}

}  // namespace
}  // namespace tacit
