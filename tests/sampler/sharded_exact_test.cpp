#include <gtest/gtest.h>

#include <array>

#include "../noise/fit.hpp"
#include "cover.hpp"
#include "law.hpp"
#include "noise/coins.hpp"
#include "sampler/exact.hpp"
#include "sampler/moments.hpp"
#include "sampler/trial.hpp"
#include "solver/limited_sums.hpp"
#include "support/shards_here.hpp"
#include "targets.hpp"

// Exact samples of records in shards: the same sums, their bounds with the joining of the shards in them, the
// same law.

namespace tacit {
namespace {

using sampler::RecordSums;
using sampler::Target;
using sampler::Weight;

std::span<const PassKind> kinds() {
  static const std::array all = {limited_sums_pass(), sampler::record_sums_pass()};
  return all;
}

constexpr double sharded_grid = 0x1p-30;
const std::vector<LossSpec> losses = {Link{LinkKind::logistic, 0}, Link{LinkKind::squared, 0}, Softmax{3}};

// The same records in shards and in one place; one of the shards is empty.
struct Both {
  Problem here;
  testing::Sharded sharded;

  Both(const LossSpec& loss, const std::vector<std::size_t>& sizes, std::size_t features)
      : sharded(records(loss, sizes, features), sizes, kinds(), loss) {
    here = sharded.problem;
    here.data = &sharded.whole;
  }
  Both(const Both&) = delete;

  static Dataset records(const LossSpec& loss, const std::vector<std::size_t>& sizes, std::size_t features) {
    std::size_t all = 0;
    for (const std::size_t size : sizes) all += size;
    return testing::made_data(loss, all, features, 7);
  }

  Target target(const Problem& problem, double radius) const {
    const auto d = static_cast<Eigen::Index>(shape_of(problem).parameters());
    return {.problem = &problem,
            .limits = {0.9, 2},
            .inverse_temperature = 0.7,
            .strength = 2,
            .center = Vector::Constant(d, 0.2),
            .radius = radius};
  }
};

constexpr double whole_space = std::numeric_limits<double>::infinity();

TEST(ShardedRecords, GiveTheSumsOfAllRecords) {
  for (const LossSpec& loss : losses) {
    const Both both(loss, {17, 0, 40, 23}, 2);
    const auto one = record_sums(both.target(both.here, whole_space), 1),
               many = record_sums(both.target(both.sharded.problem, whole_space), 1);
    const auto d = static_cast<Eigen::Index>(shape_of(both.here).parameters());
    const Vector theta = Vector::LinSpaced(d, -0.5, 0.8);
    EXPECT_EQ(many->records(), 80u);
    EXPECT_EQ(many->rise_depth(), one->rise_depth() + joining_depth(4));
    EXPECT_EQ(many->moment_depth(), one->moment_depth() + joining_depth(4));

    const sampler::RiseSums a = one->rises(theta), b = many->rises(theta);
    EXPECT_GT(a.size, 1);
    EXPECT_NEAR(a.sum, b.sum, 1e-13 * a.size);
    EXPECT_NEAR(a.size, b.size, 1e-13 * a.size);
    EXPECT_NEAR(a.error, b.error, 1e-13 * a.error);
    std::vector<Interval> exact;
    for (const double x : theta) exact.emplace_back(x, 300);
    const Interval apart = one->rises(exact, 300) - many->rises(exact, 300);
    EXPECT_LE(apart.lower(), 0);
    EXPECT_GE(apart.upper(), 0);
    EXPECT_LT(apart.upper() - apart.lower(), 1e-80) << "as many digits as were asked for";

    const Matrix transform = Matrix::Random(d, d);
    for (RecordSums* sums : {one.get(), many.get()}) {
      sums->bound_curvatures(theta);
      sums->measure_influences(transform);
    }
    const std::size_t all = one->keep(1e300), some = one->keep(1.5);
    EXPECT_EQ(many->keep(1e300), all);
    EXPECT_EQ(many->keep(1.5), some);
    EXPECT_LT(some, all);
    EXPECT_GT(some, 0u);
    const auto near = [](const Matrix& x, const Matrix& y) {
      return x.rows() == y.rows() && (x - y).norm() <= 1e-13 * (1 + x.norm());
    };
    EXPECT_TRUE(near(one->second().value, many->second().value));
    EXPECT_NEAR(one->second().size, many->second().size, 1e-12);
    for (const Weight weight : {Weight::decay, Weight::tilt, Weight::kink, Weight::tilted_kink}) {
      EXPECT_NEAR(one->fourth_size(weight), many->fourth_size(weight), 1e-13 * one->fourth_size(weight));
      EXPECT_TRUE(near(one->fourth_spread(weight, transform), many->fourth_spread(weight, transform)));
      if (one->group() > 1) continue;
      EXPECT_TRUE(near(one->fourth_tensor(weight, transform), many->fourth_tensor(weight, transform)));
    }
  }
}

// What is certified holds for the real sum, and grows with the depth that joining the shards adds.
TEST(ShardedRecords, BoundsOfMomentsHaveTheJoiningInThem) {
  const LossSpec loss = Link{LinkKind::logistic, 0};
  const Both both(loss, std::vector<std::size_t>(40, 2), 2);
  const auto one = record_sums(both.target(both.here, whole_space), 1),
             many = record_sums(both.target(both.sharded.problem, whole_space), 1);
  const Vector theta = Vector::LinSpaced(3, -0.5, 0.8);
  std::vector<sampler::SecondMoment> moments;
  for (RecordSums* sums : {one.get(), many.get()}) {
    sums->bound_curvatures(theta);
    moments.push_back(second_moment(*sums));
  }
  const double more =
      gamma_bound(one->moment_depth() + 8 + joining_depth(40)) / gamma_bound(one->moment_depth() + 8);
  EXPECT_GT(more, 1.01);
  EXPECT_NEAR(moments[1].error / moments[0].error, more, 1e-6);
  EXPECT_LE((moments[0].value - moments[1].value).norm(), moments[0].error + moments[1].error);
  const sampler::Energy a = energy(both.target(both.here, whole_space), *one, theta, 0),
                        b = energy(both.target(both.sharded.problem, whole_space), *many, theta, 0);
  EXPECT_LE(std::fabs(a.value - b.value), a.error + b.error);
  EXPECT_GT(b.error, a.error);
}

TEST(ShardedEnvelope, CoversTheTarget) {
  for (const LossSpec& loss : losses)
    for (const double radius : {whole_space, 0.5}) {
      const Both both(loss, {11, 0, 20, 9}, 3);
      const sampler::Setting setting = sampler::make_setting(both.target(both.sharded.problem, radius), 1);
      EXPECT_GE(testing::least_room(both.target(both.here, radius), setting.envelope, 5), -1e-9)
          << loss.index() << " " << radius;
    }
}

TEST(ShardedTrial, ComputedLogAcceptanceIsWithinItsBoundOfTheRealOne) {
  for (const LossSpec& loss : losses)
    for (const double radius : {whole_space, 0.7}) {
      const Both both(loss, {11, 0, 20, 9}, 2);
      const sampler::Setting setting = sampler::make_setting(both.target(both.sharded.problem, radius), 1);
      const auto bits = testing::seeded_bits(6);
      for (int k = 0; k < 5; ++k) {
        sampler::Trial trial(setting, noise::exponential_race(setting.log_weights, *bits), *bits);
        const sampler::Energy computed = trial.log_acceptance();
        const double error = abs(trial.exact_log_acceptance(32, *bits) - computed.value).upper();
        EXPECT_LE(error, computed.error);
        EXPECT_LT(computed.error, 1e-9);
      }
    }
}

// How far 3000 samples of the records in shards of these sizes are from the law of all 16 of them. Two
// parameters: no intercept.
double distance_from_law(const LossSpec& loss, const std::vector<std::size_t>& sizes, double radius) {
  constexpr std::size_t n = 3000;
  Both both(loss, {5, 0, 7, 4}, loss.index() == 0 ? 2 : 1);
  both.here.intercept = 0;
  both.sharded.problem.intercept = 0;
  const auto shards = std::make_shared<testing::ShardsHere>(both.here, sizes, kinds());
  both.sharded.data.shards = shards;
  sampler::ExactSampler exact(both.target(both.sharded.problem, radius), 1);
  const auto bits = testing::seeded_bits(11);
  std::vector<Vector> samples;
  for (std::size_t k = 0; k < n; ++k) samples.push_back(exact.draw(sharded_grid, *bits));
  EXPECT_GT(shards->questions, static_cast<int>(n)) << "a question for each trial at least";
  return testing::worst_distance(both.target(both.here, radius), samples) - testing::ks_threshold(n, 1e-4);
}

// At most four distances each, with a false-alarm rate of 1e-4; the quadrature's error is below 0.004.
TEST(ShardedSampler, HasTheLawOfItsTarget) {
  for (const LossSpec& loss : {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Softmax{3})})
    for (const double radius : {whole_space, 0.8})
      EXPECT_LT(distance_from_law(loss, {5, 0, 7, 4}, radius), 0.004) << loss.index() << " " << radius;
}

TEST(ShardedSampler, WithoutAShardHasAnotherLaw) {
  for (const LossSpec& loss : {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Softmax{3})})
    EXPECT_GT(distance_from_law(loss, {5, 7}, whole_space), 0.01) << loss.index();
}

// A shard that fails ends the draw: nothing is drawn from the rest of the records.
TEST(ShardedSampler, EndsWhenAShardFails) {
  const Both both(Link{LinkKind::logistic, 0}, {5, 7}, 2);
  sampler::ExactSampler exact(both.target(both.sharded.problem, whole_space), 1);
  const auto bits = testing::seeded_bits(1);
  EXPECT_EQ(exact.draw(sharded_grid, *bits).size(), 3);
  both.sharded.shards->failing = 1;
  EXPECT_THROW(exact.draw(sharded_grid, *bits), DataError);
}

}  // namespace
}  // namespace tacit
