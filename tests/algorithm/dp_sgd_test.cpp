#include "algorithm/clipping/dp_sgd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "privacy/accounting/calibrate.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::clipping {
namespace {

// Two clouds of points around ±(2, 0, …), labels ±1.
Dataset clouds(std::size_t records, std::size_t columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{records, columns, {}};
  for (std::size_t i = 0; i < records; ++i) {
    const double y = random() % 2 == 0 ? 1 : -1;
    for (std::size_t j = 0; j < columns; ++j) rows.values.push_back(normal(random) + (j == 0 ? 2 * y : 0));
    data.labels.push_back(y);
  }
  data.features = Features(std::move(rows));
  return data;
}

RootMeter meter_for(const Options& options, BitSource& bits) {
  return RootMeter({options.target, Unit::item, options.neighbours}, bits);
}

double accuracy(const Problem& problem, const Vector& w) {
  double right = 0, z = 0;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    scores(problem, i, w, {&z, 1});
    right += (z > 0) == (problem.data->labels[i] > 0);
  }
  return right / static_cast<double>(problem.data->size());
}

// n·ε/features / 75, from 0.2 to 2; networks keep 2.
TEST(DpSgdPlan, StepsAreShorterWhereRecordsSayLittleOverTheNoise) {
  Shape shape{.records = 32561, .features = 124, .outputs = 1, .loss = Link{LinkKind::logistic, 0}};
  Options options;
  const auto step = [&](double epsilon) {
    options.target = Approx{epsilon, 1e-6};
    return plan_dp_sgd(shape, options).step_length;
  };
  EXPECT_NEAR(step(0.1), 32561 * 0.1 / 124 / 75, 1e-12);
  EXPECT_EQ(step(0.01), 0.2);
  EXPECT_EQ(step(1), 2);
  shape.loss = Network{8, Activation::tanh, 2};
  shape.hidden = 8;
  EXPECT_EQ(step(0.1), 2);
}

TEST(DpSgdPlan, FollowsFromPublicValuesAndKeepsTheTarget) {
  const Shape shape{.records = 60000, .features = 785, .outputs = 9, .loss = Softmax{10}};
  Options options;
  options.target = Approx{2, 1e-5};
  options.batch = 500;
  options.epochs = 60;
  options.step_length = 1;
  options.clip_norm = 0.5;
  const Plan plan = plan_dp_sgd(shape, options);
  EXPECT_DOUBLE_EQ(plan.rate, 500.0 / 60000);
  EXPECT_EQ(plan.steps, 7200u);
  EXPECT_EQ(plan.clip.length, 1.0 / 500);
  EXPECT_EQ(plan.clip.norm, 0.5);
  EXPECT_EQ(plan.release.dimension, 9u * 785);
  EXPECT_GT(plan.sensitivity.slack, 0);
  EXPECT_LT(plan.sensitivity.slack, 1e-7 * plan.sensitivity.value) << "rounding costs next to nothing";
  const auto& event = std::get<PoissonGaussianEvent>(plan.release.event);
  EXPECT_EQ(event.noise_multiplier, calibrate_noise(options.target, plan.rate, 7200));
  EXPECT_GE(plan.release.scale, event.noise_multiplier * plan.sensitivity.total());
  const double epsilon = account(std::vector<Event>{event}, 1e-5).epsilon_upper;
  EXPECT_LE(epsilon, 2);
  EXPECT_GE(epsilon, 2 * 0.999);
}

TEST(DpSgdPlan, DoesNotLetTheNumberOfRecordsShowUnderAddRemove) {
  Options options;
  options.neighbours = Neighbours::add_remove;
  EXPECT_THROW(options.validate(), UsageError) << "a public number must be given";
  options.records = 1000;
  const auto bits = testing::seeded_bits(1);
  std::vector<Facts> facts;
  for (const std::size_t records : {900u, 1100u}) {
    const Dataset data = clouds(records, 2, 1);
    options.epochs = 1;
    RootMeter meter = meter_for(options, *bits);
    const Release release = dp_sgd({.data = &data, .loss = Link{LinkKind::logistic, 0}}, options, meter);
    facts.push_back(release.certificate.assumed_public);
    EXPECT_EQ(release.certificate.neighbours, Neighbours::add_remove);
  }
  EXPECT_EQ(facts[0].entries(), facts[1].entries());
  EXPECT_EQ(facts[0].integer("records"), 1000);
}

TEST(DpSgdPlan, RefusesWhatMakesNoSense) {
  const auto refused = [](auto change) {
    Options options;
    change(options);
    EXPECT_THROW(clipping::plan_dp_sgd(1000, 10, options), UsageError);
  };
  refused([](Options& o) { o.batch = 1001; });
  refused([](Options& o) { o.batch = 0; });
  refused([](Options& o) { o.epochs = -1; });
  refused([](Options& o) { o.epochs = 1e12; });
  refused([](Options& o) { o.step_length = 0; });
  refused([](Options& o) { o.clip_norm = 0; });
  refused([](Options& o) { o.radius = -1; });
  refused([](Options& o) { o.target = Pure{1}; });
  refused([](Options& o) { o.neighbours = Neighbours::replace_one; });
}

TEST(DpSgd, LearnsASeparableProblemWithEveryIterate) {
  const Dataset data = clouds(4000, 5, 2);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  for (const Iterate iterate : {Iterate::average, Iterate::last, Iterate::random}) {
    Options options;
    options.epochs = 20;
    options.iterate = iterate;
    const auto bits = testing::seeded_bits(3);
    RootMeter meter = meter_for(options, *bits);
    const Release release = dp_sgd(problem, options, meter);
    EXPECT_GT(accuracy(problem, release.parameters.value()), 0.95) << name(iterate);
    EXPECT_EQ(meter.steps().size(), 1u);
  }
}

TEST(DpSgd, TrainsANetworkOnWhatNoLinearModelSeparates) {
  std::mt19937_64 random(4);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{6000, 2, {}};
  for (int i = 0; i < 6000; ++i) {  // exclusive or
    const double a = random() % 2 == 0 ? 1 : -1, b = random() % 2 == 0 ? 1 : -1;
    rows.values.insert(rows.values.end(), {a + 0.2 * normal(random), b + 0.2 * normal(random)});
    data.labels.push_back(a == b ? 1 : 0);
  }
  data.features = Features(std::move(rows));
  Options options;
  options.target = Approx{4, 1e-5};
  options.epochs = 40;
  const auto bits = testing::seeded_bits(5);
  RootMeter meter = meter_for(options, *bits);
  const Problem problem{.data = &data, .loss = Network{8, Activation::tanh, 2}};
  const Vector w = dp_sgd(problem, options, meter).parameters.value();
  double right = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double* x = data.features.row(i).values;
    double z = w[8 * 3 + 8];
    for (Eigen::Index u = 0; u < 8; ++u)
      z += w[8 * 3 + u] * std::tanh(w[3 * u] * x[0] + w[3 * u + 1] * x[1] + w[3 * u + 2]);
    right += (z < 0) == (data.labels[i] == 1);  // Helmert: class 0 has the logit +z/√2
  }
  EXPECT_GT(right / 6000, 0.9);
}

TEST(DpSgd, ReturnsParametersOnTheGridAndInTheBall) {
  const Dataset data = clouds(500, 3, 6);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  for (const Iterate iterate : {Iterate::average, Iterate::last, Iterate::random}) {
    Options options;
    options.epochs = 5;
    options.radius = 0.3;
    options.iterate = iterate;
    const auto bits = testing::seeded_bits(7);
    RootMeter meter = meter_for(options, *bits);
    double largest = 0;
    const Release release = dp_sgd(problem, options, meter, [&](std::uint64_t, const Vector& w) {
      largest = std::fmax(largest, w.norm());
    });
    EXPECT_LE(largest, 0.3 * (1 + 1e-12));
    EXPECT_LE(release.parameters.value().norm(), 0.3 * (1 + 1e-6));
    for (const double v : release.parameters.value())
      EXPECT_EQ(std::fmod(v, meter.steps()[0].grid), 0) << name(iterate);
  }
}

TEST(DpSgd, ReturnsTheRandomIterateOfThePaperWithEqualChance) {
  // Three steps: w_0 = 0, w_1 or w_2, each in a third of 300 runs; 5 deviations.
  const Dataset data = clouds(40, 2, 8);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  Options options;
  options.batch = 40;
  options.epochs = 3;
  options.iterate = Iterate::random;
  options.noise_multiplier = 20;
  const auto bits = testing::seeded_bits(9);
  std::vector<int> count(3);
  for (int run = 0; run < 300; ++run) {
    std::vector<Vector> iterates = {Vector::Zero(3)};
    RootMeter meter = meter_for(options, *bits);
    const Vector chosen = dp_sgd(problem, options, meter, [&](std::uint64_t, const Vector& w) {
                            iterates.push_back(w);
                          }).parameters.value();
    ASSERT_EQ(iterates.size(), 4u);
    for (std::size_t t = 0; t < 3; ++t) count[t] += chosen == iterates[t];
  }
  EXPECT_EQ(count[0] + count[1] + count[2], 300);
  for (const int c : count) EXPECT_NEAR(c, 100, 5 * std::sqrt(300 * 2.0 / 9));
}

TEST(DpSgd, AveragesTheSecondHalf) {
  const Dataset data = clouds(40, 2, 10);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  Options options;
  options.batch = 40;
  options.epochs = 5;
  options.noise_multiplier = 20;
  const auto bits = testing::seeded_bits(11);
  RootMeter meter = meter_for(options, *bits);
  Vector tail = Vector::Zero(3);
  const Vector mean = dp_sgd(problem, options, meter, [&](std::uint64_t t, const Vector& w) {
                        if (t >= 3) tail += w / 3;
                      }).parameters.value();
  EXPECT_LE((mean - tail).lpNorm<Eigen::Infinity>(), meter.steps()[0].grid);
}

TEST(DpSgd, GivesTheSameBitsForAnyNumberOfThreadsAndForNullRecords) {
  const Dataset data = clouds(300, 4, 12);
  const Problem problem{.data = &data, .loss = Softmax{2}};
  Dataset labelled = data;
  for (double& y : labelled.labels) y = y > 0;
  const Problem classes{.data = &labelled, .loss = Softmax{2}};
  Vector first;
  for (const unsigned threads : {1u, 2u, 5u}) {
    Options options;
    options.batch = 200;
    options.epochs = 3;
    options.threads = threads;
    const auto bits = testing::seeded_bits(13);
    RootMeter meter = meter_for(options, *bits);
    const Vector w = dp_sgd(classes, options, meter).parameters.value();
    if (threads == 1) first = w;
    EXPECT_EQ(w, first) << threads;
  }
}

TEST(DpSgd, SpendsNothingWhenThePlanDoesNotFitTheBudget) {
  const Dataset data = clouds(100, 2, 14);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  Options options;
  options.noise_multiplier = 0.1;
  const auto bits = testing::seeded_bits(15);
  RootMeter meter = meter_for(options, *bits);
  EXPECT_THROW(dp_sgd(problem, options, meter), BudgetError);
  EXPECT_TRUE(meter.steps().empty());
}

TEST(DpSgd, GivesGaussianPrivacy) {
  const Dataset data = clouds(1000, 2, 16);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  Options options;
  options.target = Gaussian{1};
  options.batch = 1000;
  options.epochs = 10;
  const auto bits = testing::seeded_bits(17);
  RootMeter meter = meter_for(options, *bits);
  const Release release = dp_sgd(problem, options, meter);
  EXPECT_LE(std::get<Gaussian>(release.certificate.guarantee).mu, 1);
  EXPECT_GT(accuracy(problem, release.parameters.value()), 0.9);
}

// The steps that `verify` rebuilds are the ones that were charged.
TEST(DpSgd, IsRebuiltFromItsCertificate) {
  const Dataset data = clouds(200, 2, 18);
  for (const auto& clip : {std::optional<double>(), std::optional<double>(0.37)}) {
    Options options;
    options.clip_norm = clip;
    options.epochs = 2;
    const auto bits = testing::seeded_bits(19);
    RootMeter meter = meter_for(options, *bits);
    const Release release = dp_sgd({.data = &data, .loss = Link{LinkKind::logistic, 0}}, options, meter);
    const Certificate& certificate = release.certificate;
    const std::vector<Step> steps =
        find_method("dp-sgd").rebuild_steps(certificate.options, certificate.assumed_public);
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(steps[0].event, meter.steps()[0].event);
    EXPECT_EQ(steps[0].scale, meter.steps()[0].scale);
    EXPECT_EQ(steps[0].grid, meter.steps()[0].grid);
    EXPECT_EQ(steps[0].sensitivity.total(), meter.steps()[0].sensitivity.total());
  }
}

// A custom loss, the geometric median: f_i(w) = ‖w − c_i‖.
struct Distances {
  std::vector<Vector> points;
  std::size_t records() const { return points.size(); }
  std::size_t parameters() const { return 2; }
  void gradient(const Vector& w, std::size_t record, std::span<double> gradient) const {
    const Vector away = w - points[record];
    const double norm = std::fmax(away.norm(), 1e-12);
    gradient[0] = away[0] / norm;
    gradient[1] = away[1] / norm;
  }
};

TEST(DpSgd, MinimisesALossOfOnesOwn) {
  std::mt19937_64 random(20);
  std::normal_distribution<> normal;
  Distances loss;
  for (int i = 0; i < 3000; ++i) loss.points.push_back(Vector{{3 + normal(random), -1 + normal(random)}});
  Options options;
  options.clip_norm = 1;
  options.step_length = 0.2;
  options.epochs = 20;
  const auto bits = testing::seeded_bits(21);
  RootMeter meter = meter_for(options, *bits);
  const Vector w = clipping::dp_sgd(loss, Vector::Zero(2), options, meter).value();
  EXPECT_LE((w - Vector{{3, -1}}).norm(), 0.2);
}

}  // namespace
}  // namespace tacit::clipping
