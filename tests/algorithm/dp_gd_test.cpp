#include "algorithm/clipping/dp_gd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "noise/gaussian_steps.hpp"
#include "solver/certified.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::clipping {
namespace {

const LossSpec logistic = Link{LinkKind::logistic, 0};

// Two clouds of points around ±(1, 0, …), labels ±1.
Dataset clouds(std::size_t records, std::size_t columns) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{records, columns, {}};
  for (std::size_t i = 0; i < records; ++i) {
    const double y = random() % 2 == 0 ? 1 : -1;
    for (std::size_t j = 0; j < columns; ++j) rows.values.push_back(normal(random) + (j == 0 ? y : 0));
    data.labels.push_back(y);
  }
  data.features = Features(std::move(rows));
  return data;
}

TEST(DpGdPlan, TheNoiseOfAllStepsTogetherIsTheMuThatWasAskedFor) {
  const Shape shape{.records = 1000, .features = 5, .outputs = 1, .loss = logistic};
  for (const double mu : {0.01, 0.5, 4.0})
    for (const std::int64_t steps : {1, 50, 10000}) {
      GdOptions options;
      options.target = Gaussian{mu};
      options.steps = steps;
      const GdPlan plan = plan_dp_gd(shape, options);
      const double charged = std::get<GaussianEvent>(plan.release.event).mu;
      EXPECT_LE(charged, mu);
      EXPECT_GE(charged, mu * (1 - 1e-12));
      EXPECT_GE(charged, std::sqrt(static_cast<double>(steps)) * plan.sensitivity.total() /
                             plan.release.scale * (1 - 1e-15));
      // One contribution of norm step/n is replaced by another.
      EXPECT_EQ(plan.sensitivity.value, 2 * plan.step_length / 1000);
      options.neighbours = Neighbours::zero_out;
      EXPECT_EQ(plan_dp_gd(shape, options).sensitivity.value, plan.step_length / 1000);
    }
}

// One contribution more or less; nothing but the engine bounds how many are summed.
TEST(DpGdPlan, ForAPrivateNumberOfRecordsPaysForTheRoundingOfAsManyAsThereCanBe) {
  const Shape shape{.records = 1000, .features = 5, .outputs = 1, .loss = logistic};
  GdOptions options;
  options.neighbours = Neighbours::add_remove;
  EXPECT_THROW(plan_dp_gd(shape, options), UsageError) << "a public number must be given";
  options.records = 1000;
  const GdPlan plan = plan_dp_gd(shape, options);
  EXPECT_EQ(plan.sensitivity.value, plan.step_length / 1000);
  EXPECT_GE(plan.sensitivity.slack, 2 * clipped_sum_rounding(0xffffffff, plan.clip.length));
  EXPECT_LT(plan.sensitivity.slack, 2e-4 * plan.sensitivity.value);
  EXPECT_GT(plan.range, 0xffffffff * plan.clip.length) << "no sum is cut";
}

TEST(DpGd, DoesNotLetTheNumberOfRecordsShowUnderAddRemove) {
  GdOptions options;
  options.neighbours = Neighbours::add_remove;
  options.records = 1000;
  const auto bits = testing::seeded_bits(1);
  std::vector<Certificate> certificates;
  for (const std::size_t records : {1, 999, 1000, 1001, 3000}) {
    const Dataset data = clouds(records, 2);
    RootMeter meter({options.target, Unit::item, Neighbours::add_remove}, *bits);
    certificates.push_back(dp_gd({.data = &data, .loss = logistic}, options, meter).certificate);
    const Certificate &first = certificates[0], &last = certificates.back();
    EXPECT_EQ(last.neighbours, Neighbours::add_remove);
    EXPECT_EQ(last.assumed_public.integer("records"), 1000);
    EXPECT_EQ(last.assumed_public.entries(), first.assumed_public.entries());
    EXPECT_EQ(last.options.entries(), first.options.entries());
    EXPECT_EQ(last.steps, first.steps);
    EXPECT_EQ(find_method("dp-gd").rebuild_steps(last.options, last.assumed_public), last.steps);
  }
}

TEST(DpGdPlan, ApproxIsMetByTheMuThatGivesIt) {
  const Shape shape{.records = 1000, .features = 5, .outputs = 1, .loss = logistic};
  GdOptions options;
  options.target = Approx{1, 1e-6};
  const std::vector<Event> events{plan_dp_gd(shape, options).release.event};
  const double epsilon = account(events, 1e-6).epsilon_upper;
  EXPECT_LE(epsilon, 1);
  EXPECT_GE(epsilon, 1 - 1e-6);
}

TEST(DpGd, WithHardlyAnyNoiseItFindsTheRegularisedMinimiser) {
  const Dataset data = clouds(500, 3);
  const Problem problem{.data = &data, .loss = logistic, .intercept = 1};
  GdOptions options;
  options.target = Gaussian{1e9};
  options.clip_norm = 1e3;  // nobody is clipped
  options.step_length = 1e3;
  options.regularisation = 0.1;
  options.steps = 300;
  options.iterate = clipping::Iterate::last;
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({options.target, Unit::item, Neighbours::replace_one}, *bits);
  const Vector w = dp_gd(problem, options, meter).parameters.value();

  const Vector zero = Vector::Zero(4);
  LimitedObjective objective(problem, {1e3, 1e6}, {.strength = 500 * 0.1, .center = zero}, zero, 0, 1);
  EXPECT_LT((w - minimise(objective, {}).point).norm(), 1e-4);
}

// With `auto` the regulariser is a part of every record's loss: the descent ends where the directions of
// those gradients cancel, not those of the losses alone.
TEST(DpGd, AutomaticClippingTakesTheRegulariserWithEachRecord) {
  const Dataset data = clouds(500, 3);
  const Problem problem{.data = &data, .loss = logistic, .intercept = 1};
  GdOptions options;
  options.target = Gaussian{1e9};
  options.step_length = 0.05;
  options.regularisation = 0.1;
  options.steps = 600;
  options.iterate = clipping::Iterate::last;
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({options.target, Unit::item, Neighbours::replace_one}, *bits);
  const Vector w = dp_gd(problem, options, meter).parameters.value();
  const auto sum_of_directions = [&](double pull) {
    Vector sum = Vector::Zero(4), g(4);
    const RecordLoss loss = record_loss(problem);
    for (std::size_t i = 0; i < data.size(); ++i) {
      loss.gradient(w, i, {g.data(), 4});
      g += pull * w;
      sum += g / std::max(0.01, g.norm());
    }
    return sum.norm() / 500;
  };
  EXPECT_LT(sum_of_directions(0.1), 1e-3);
  EXPECT_GT(sum_of_directions(0), 0.05);
}

// Whatever a record holds and wherever w is, it moves the sum by no more than is stated.
TEST(DpGd, ARecordWithItsRegulariserMovesTheSumByAtMostTheStatedLength) {
  Dataset data = clouds(20, 3);
  DenseRows rows = data.features.dense_rows();
  GdOptions options;
  options.regularisation = 7;
  options.neighbours = Neighbours::zero_out;
  for (const double size : {0.0, 1e-300, 1e-3, 1.0, 1e8, 1e200, 1e300}) {
    for (std::size_t j = 0; j < 3; ++j) rows.values[19 * 3 + j] = size * (j == 1 ? -1 : 1);
    data.features = Features(rows);
    const Problem problem{.data = &data, .loss = Link{LinkKind::squared, 0}, .intercept = 1};
    const GdPlan plan = plan_dp_gd(shape_of(problem), options);
    const BatchSums sums = descent_sums(problem, plan, 1);
    std::vector<std::uint32_t> others(19), all(20);
    std::iota(others.begin(), others.end(), 0u), std::iota(all.begin(), all.end(), 0u);
    for (const double far : {0.0, 1e-3, 1.0, 1e10, 1e160, 1e300}) {
      const Vector w = Vector::Constant(4, far);
      Vector with, without;
      sums(w, all, with), sums(w, others, without);
      EXPECT_LE((with - without).stableNorm(), plan.sensitivity.total()) << size << " " << far;
    }
  }
}

TEST(DpGd, ARecordWithItsRegulariserCountsByItsWeight) {
  Dataset data = clouds(20, 3);
  const Problem problem{.data = &data, .loss = logistic, .intercept = 1};
  GdPlan plan = plan_dp_gd(shape_of(problem), {.target = Gaussian{1}, .regularisation = 0.1});
  ASSERT_GT(plan.within, 0);
  const Vector w = Vector::LinSpaced(4, -1, 1);
  const auto sum_of = [&](std::vector<std::uint32_t> batch) {
    Vector sum = Vector::Zero(4);
    descent_sums(problem, plan, 1)(w, batch, sum);
    return sum;
  };
  const Vector alone = sum_of({7}), other = sum_of({8});
  data.weights.assign(20, 0.0);
  data.weights[7] = 0.5;
  data.weights[8] = 1;
  EXPECT_TRUE(sum_of({0, 1, 2}).isZero(0));
  EXPECT_LT((sum_of({0, 7, 8}) - (0.5 * alone + other)).norm(), 1e-15);
}

TEST(DpGd, LearnsUnderPrivacyAndItsCertificateIsRebuilt) {
  const Dataset data = clouds(5000, 3);
  const Problem problem{.data = &data, .loss = logistic, .intercept = 1};
  Facts facts;
  facts.set("mu", 1.0);
  const auto bits = testing::seeded_bits(2);
  const Method& method = find_method("dp-gd");
  RootMeter meter({Gaussian{1}, Unit::item, Neighbours::replace_one}, *bits);
  const Release release = method.fit(problem, facts, meter);
  double right = 0, z = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    scores(problem, i, release.parameters.value(), {&z, 1});
    right += (z > 0) == (data.labels[i] > 0);
  }
  EXPECT_GT(right / 5000, 0.8);  // the clouds overlap: 0.84 is the best
  EXPECT_LE(std::get<Gaussian>(release.certificate.guarantee).mu, 1);
  const auto rebuilt = method.rebuild_steps(release.certificate.options, release.certificate.assumed_public);
  ASSERT_EQ(rebuilt.size(), 1u);
  EXPECT_EQ(rebuilt[0].event, release.certificate.steps[0].event);
  EXPECT_EQ(rebuilt[0].scale, release.certificate.steps[0].scale);
}

TEST(DpGdOptions, RefuseWhatHasNoMeaning) {
  const auto refused = [](auto change) {
    GdOptions options;
    change(options);
    EXPECT_THROW(options.validate(), UsageError);
  };
  refused([](GdOptions& o) { o.target = Pure{1}; });
  refused([](GdOptions& o) { o.neighbours = Neighbours::add_remove; });  // without a number to divide by
  refused([](GdOptions& o) { o.steps = 0; });
  refused([](GdOptions& o) { o.step_length = -1; });
  refused([](GdOptions& o) { o.clip_norm = std::nan(""); });
  const Shape shape{.records = 1000, .features = 5, .outputs = 1, .loss = logistic};
  GdOptions far;
  far.clip_norm = 1, far.step_length = 20, far.regularisation = 0.1;
  EXPECT_THROW(plan_dp_gd(shape, far), UsageError);
}

double mean_square(const Problem& problem, const Vector& w) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    double score = 0;
    scores(problem, i, w, {&score, 1});
    sum += std::pow(score - problem.data->labels[i], 2) / static_cast<double>(problem.data->size());
  }
  return sum;
}

// Rows of positive entries, which point in much the same direction, and labels in [−1, 1]. With next to no
// noise most of their square is explained, where steps as long as for classes end with more than there was.
TEST(DpGd, StepsForNumbersDoNotOvershoot) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> entry(0, 1);
  Dataset data;
  DenseRows rows{500, 3, {}};
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t j = 0; j < rows.columns; ++j) rows.values.push_back(entry(random));
    data.labels.push_back(2 * rows.values.back() - 1);
  }
  data.features = Features(std::move(rows));
  const Problem problem{.data = &data, .loss = Link{LinkKind::squared, 0}, .intercept = 1};
  const auto left = [&](std::optional<double> step) {
    GdOptions options;
    options.target = Gaussian{1e6};
    options.step_length = step;
    const auto bits = testing::seeded_bits(1);
    RootMeter meter({options.target, Unit::item, Neighbours::replace_one}, *bits);
    const Vector w = dp_gd(problem, options, meter).parameters.value();
    return mean_square(problem, w) / mean_square(problem, Vector::Zero(4));
  };
  EXPECT_LT(left({}), 0.1);
  EXPECT_GT(left(2), 1);
}

TEST(GaussianSteps, ReleasesNoMoreThanWasPaidFor) {
  const auto bits = testing::seeded_bits(3);
  RootMeter meter({Gaussian{1}, Unit::item, Neighbours::replace_one}, *bits);
  const Sensitivity one{.value = 1, .norm = Norm::l2, .reason = "test"};
  noise::GaussianSteps steps(2, 1, one, 10, 3, meter);
  EXPECT_LE(std::get<Gaussian>(meter.spent()).mu, 1);
  const auto vector = [](const Sensitivity& s, Eigen::Index size = 3) {
    return Sensitive<Vector>(Vector::Zero(size), s, Neighbours::replace_one);
  };
  Sensitivity more = one;
  more.value = 1.5;
  EXPECT_THROW(steps.release(vector(more)), UsageError);
  EXPECT_THROW(steps.release(vector(one, 2)), UsageError);
  EXPECT_THROW(steps.release(Sensitive<Vector>(Vector::Zero(3), one, Neighbours::zero_out)), UsageError);
  EXPECT_NO_THROW(steps.release(vector(one)));
  EXPECT_NO_THROW(steps.release(vector(one)));
  EXPECT_THROW(steps.release(vector(one)), UsageError);
}

}  // namespace
}  // namespace tacit::clipping
