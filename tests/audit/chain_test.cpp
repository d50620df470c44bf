#include "audit/black_box/chain.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../sampler/targets.hpp"
#include "sampler/exact.hpp"
#include "sampler/mixing.hpp"
#include "solver/certified.hpp"
#include "support/seeded_bits.hpp"

namespace tacit {
namespace {

constexpr double grid = 0x1p-30;

struct Chain {
  sampler::Target target;
  Vector mode;
  sampler::ChainSettings settings;
};

// A posterior of made data with the center `offset` radii from the mode, and a chain of `steps` steps.
Chain made_chain(const Problem& problem, double offset, double radius, double steps) {
  const auto d = static_cast<Eigen::Index>(shape_of(problem).features);
  Chain chain{.target = {.problem = &problem,
                         .limits = {2, 4},
                         .inverse_temperature = 0.6,
                         .strength = 2,
                         .center = Vector::Zero(d),
                         .radius = radius}};
  LimitedObjective objective(problem, chain.target.limits,
                             {.strength = 2 / 0.6, .center = chain.target.center}, chain.target.center, 0, 1);
  chain.mode = minimise(objective, {}).point;
  chain.target.center = chain.mode;
  chain.target.center[0] += offset * radius;
  const double n = static_cast<double>(problem.data->size());
  const double smoothness = 2 + 0.6 * n * 4;
  const auto mixing = sampler::mixing_within(smoothness, 2, static_cast<std::size_t>(d), steps);
  chain.settings = {mixing.step_size, static_cast<std::uint64_t>(steps), 1 / std::sqrt(2 * smoothness)};
  return chain;
}

// 1000 draws of each; the false-alarm rate of a comparison is 1e-6, the seed fixed.
TEST(ConstrainedMala, EndsWhereExactSamplesLie) {
  for (const LinkKind kind : {LinkKind::logistic, LinkKind::squared, LinkKind::huber, LinkKind::hinge})
    for (const double offset : {0.0, 0.6, 1.0}) {
      const LossSpec loss = Link{kind, 1};
      const Dataset data = testing::made_data(loss, 12, 2, 3);
      const Problem problem{.data = &data, .loss = loss, .intercept = 0};
      const Chain chain = made_chain(problem, offset, 0.8, 100);
      sampler::ConstrainedMala mala(chain.target, chain.mode, chain.settings);
      sampler::ExactSampler exact(chain.target, 1);
      const auto bits = testing::seeded_bits(21);
      const auto seen = audit::diagnose(mala, exact, 1000, grid, *bits);
      EXPECT_LT(seen.distance, seen.threshold) << name(kind) << " offset " << offset;
      EXPECT_GT(seen.acceptance, 0.3);
      EXPECT_LE(seen.kept, 1);
    }
}

// The controls: a chain that has not moved, and one whose step is so large that it stays where it is.
TEST(ConstrainedMala, DiagnosticsFindAChainThatIsFarFromItsTarget) {
  const LossSpec loss = Link{LinkKind::logistic, 0};
  const Dataset data = testing::made_data(loss, 12, 2, 3);
  const Problem problem{.data = &data, .loss = loss, .intercept = 0};
  for (const double factor : {1e-6, 1e6}) {
    Chain chain = made_chain(problem, 0, 0.8, 50);
    chain.settings.step_size *= factor;
    sampler::ConstrainedMala mala(chain.target, chain.mode, chain.settings);
    sampler::ExactSampler exact(chain.target, 1);
    const auto bits = testing::seeded_bits(22);
    const auto seen = audit::diagnose(mala, exact, 1500, grid, *bits);
    EXPECT_GT(seen.distance, seen.threshold) << factor;
    EXPECT_EQ(seen.acceptance<0.01, factor> 1) << seen.acceptance;
  }
}

// Rows of all sizes and labels far out: a proposal whose potential is not a number is not taken, and nothing
// fails.
TEST(ConstrainedMala, GoesOnWithAwkwardData) {
  const LossSpec loss = Link{LinkKind::squared, 0};
  Dataset data = testing::made_data(loss, 6, 2, 5);
  DenseRows rows = data.features.dense_rows();
  for (const auto& [record, factor] : {std::pair(0, 1e60), std::pair(1, 1e-60), std::pair(2, 1e300)})
    for (int k = 0; k < 2; ++k) rows.values[static_cast<std::size_t>(2 * record + k)] *= factor;
  data.features = Features(std::move(rows));
  data.labels[3] = 1e300;
  data.labels[4] = -1e300;
  const Problem problem{.data = &data, .loss = loss, .intercept = 1};
  const Chain chain = made_chain(problem, 0, 5, 100);
  sampler::ConstrainedMala mala(chain.target, chain.mode, chain.settings);
  const auto bits = testing::seeded_bits(23);
  for (int k = 0; k < 20; ++k) EXPECT_TRUE(mala.inside(mala.draw(*bits)));
  EXPECT_GT(mala.accepted(), mala.proposals() / 4);
}

TEST(EffectiveSampleSize, IsThatOfAnAutoregression) {
  std::mt19937_64 random(7);
  std::normal_distribution<> normal;
  for (const double rho : {0.0, 0.5, 0.9}) {
    std::vector<double> trace{0};
    for (int k = 1; k < 20000; ++k) trace.push_back(rho * trace.back() + normal(random));
    // n(1−ρ)/(1+ρ)
    const double expected = 20000 * (1 - rho) / (1 + rho);
    EXPECT_NEAR(audit::effective_sample_size(trace) / expected, 1, 0.15) << rho;
  }
  EXPECT_EQ(audit::effective_sample_size(std::vector<double>(10, 3.0)), 1);
}

// d = 11, the minimiser at the center and two thirds of the way to the border (farther out nearly every chain
// ends outside): 1000 draws of each, chains of 800 steps. The false-alarm rate of a comparison is 1e-6, the
// seed fixed.
TEST(LongExactSampler, AgreesWithLongChainsInElevenDimensions) {
  for (const LinkKind kind : {LinkKind::logistic, LinkKind::squared, LinkKind::huber})
    for (const double offset : {0.0, 0.67}) {
      const LossSpec loss = Link{kind, 1};
      const Dataset data = testing::made_data(loss, 60, 11, 4);
      const Problem problem{.data = &data, .loss = loss, .intercept = 0};
      const Chain chain = made_chain(problem, offset, 1.5, 800);
      sampler::ConstrainedMala mala(chain.target, chain.mode, chain.settings);
      sampler::ExactSampler exact(chain.target, 1);
      const auto bits = testing::seeded_bits(24);
      const auto seen = audit::diagnose(mala, exact, 1000, grid, *bits);
      EXPECT_LT(seen.distance, seen.threshold) << name(kind) << " offset " << offset;
    }
}

}  // namespace
}  // namespace tacit
