#include "sampler/exact.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../noise/fit.hpp"
#include "cover.hpp"
#include "law.hpp"
#include "noise/coins.hpp"
#include "sampler/trial.hpp"
#include "support/seeded_bits.hpp"
#include "targets.hpp"

namespace tacit {
namespace {

using sampler::ExactSampler;
using sampler::Target;
using testing::minimiser_of;
using testing::worst_distance;

constexpr double grid = 0x1p-30;
constexpr double false_alarm = 1e-4;  // of each comparison; seeds are fixed

Target made_target(const Problem& problem, const LossLimits& limits, double strength) {
  const auto d = static_cast<Eigen::Index>(shape_of(problem).features);
  return {.problem = &problem,
          .limits = limits,
          .inverse_temperature = 0.6,
          .strength = strength,
          .center = Vector::Zero(d),
          .radius = std::numeric_limits<double>::infinity()};
}

// n = 3000 for each target; each of its at most four distances has a false-alarm rate of 1e-4, and the
// quadrature an error below 0.004.
TEST(ExactSampler, HasTheLawOfItsTargetWhereverTheMinimiserLies) {
  constexpr std::size_t n = 3000;
  for (const std::size_t features : {1, 2})
    for (const auto& [kind, slope] :
         {std::pair(LinkKind::logistic, 100.0), std::pair(LinkKind::logistic, 0.7),
          std::pair(LinkKind::squared, 2.0)}) {
      const LossSpec loss = Link{kind, 0};
      const Dataset data = testing::made_data(loss, 12, features, 3);
      const Problem problem{.data = &data, .loss = loss, .intercept = 0};
      Target target = made_target(problem, {slope, 100}, 2);
      const Vector mode = minimiser_of(target);
      for (const double offset : {-1.0, 0.0, 0.6, 1.0, 1.6, 5.0}) {
        if (offset >= 0) {  // −1: the whole space
          target.radius = 0.8;
          target.center = mode;
          target.center[0] += offset * target.radius;
        }
        ExactSampler exact(target, 1);
        const auto bits = testing::seeded_bits(11);
        std::vector<Vector> samples;
        for (std::size_t k = 0; k < n; ++k) samples.push_back(exact.draw(grid, *bits));
        EXPECT_LT(worst_distance(target, samples), testing::ks_threshold(n, false_alarm) + 0.004)
            << name(kind) << " " << slope << " " << features << " offset " << offset;
        for (const Vector& sample : samples)
          ASSERT_LE((sample - target.center).norm(), target.radius + 2 * grid);
        EXPECT_LT(exact.trials(), 200 * n) << "offset " << offset;
      }
    }
}

// The same sampler with half of its constants: n = 40000, the distance is far above the threshold; and the
// sampler itself finds an acceptance above 1.
TEST(ExactSampler, WithHalfOfItsConstantsHasAnotherLaw) {
  constexpr std::size_t n = 40000;
  Dataset data;
  data.features = Features(DenseRows{180, 1, std::vector<double>(180, 1.0)});  // margins near 4
  data.labels.assign(180, 1);
  data.target_kind = TargetKind::numeric;
  const LossSpec loss = Link{LinkKind::logistic, 0};
  const Problem problem{.data = &data, .loss = loss, .intercept = 0};
  const Target target = made_target(problem, {100, 100}, 0.15);
  sampler::Setting setting = sampler::make_setting(target, 1);
  for (const bool halved : {false, true}) {
    if (halved) {
      sampler::EnvelopeConstants constants = setting.envelope.constants;
      constants.beta /= 2;
      constants.sigma /= 2;
      setting.envelope.shells = sampler::make_shells(constants);
      sampler::weigh_shells(setting);
    }
    const auto bits = testing::seeded_bits(12);
    EXPECT_EQ(testing::is_stopped(setting, *bits, 10000), halved);
    std::mt19937_64 random(13);
    std::vector<Vector> samples;
    while (samples.size() < n) {
      sampler::Trial trial(setting, noise::exponential_race(setting.log_weights, *bits), *bits);
      if (halved ? testing::accepted_unseen(trial, *bits, random) : trial.accepted(*bits))
        samples.push_back(trial.rounded(grid, *bits));
    }
    const double threshold = testing::ks_threshold(n, false_alarm) + 0.001;  // and the quadrature
    if (halved)
      EXPECT_GT(worst_distance(target, samples), threshold);
    else
      EXPECT_LT(worst_distance(target, samples), threshold);
  }
}

// Rows, labels and temperatures of all sizes.
Dataset awkward_data(const LossSpec& loss) {
  Dataset data = testing::made_data(loss, 30, 2, 5);
  DenseRows rows = data.features.dense_rows();
  for (const auto& [record, factor] :
       {std::pair(0, 1e60), std::pair(1, 1e-60), std::pair(2, 1e300), std::pair(3, 0.0)})
    for (int k = 0; k < 2; ++k) rows.values[static_cast<std::size_t>(2 * record + k)] *= factor;
  if (!facts(std::get<Link>(loss)).classification) {
    data.labels[4] = 1e300;
    data.labels[5] = -1e300;
    data.labels[1] = 1e60;
  }
  data.features = Features(std::move(rows));
  return data;
}

TEST(Trial, ComputedLogAcceptanceIsWithinItsBoundOfTheRealOne) {
  for (const LinkKind kind : {LinkKind::logistic, LinkKind::squared, LinkKind::huber, LinkKind::absolute,
                              LinkKind::pinball, LinkKind::hinge, LinkKind::smoothed_hinge})
    for (const double slope : {0.5, 30.0})
      for (const double radius : {0.7, std::numeric_limits<double>::infinity()}) {
        const LossSpec loss = Link{kind, kind == LinkKind::pinball ? 0.3 : 0.7};
        const Dataset data = awkward_data(loss);
        const Problem problem{.data = &data, .loss = loss, .intercept = 1};
        Target target = made_target(problem, {slope, 4}, 3);
        target.radius = radius;
        target.center.setConstant(0.3);
        const sampler::Setting setting = sampler::make_setting(target, 1);
        const auto bits = testing::seeded_bits(6);
        for (int k = 0; k < 5; ++k) {
          sampler::Trial trial(setting, noise::exponential_race(setting.log_weights, *bits), *bits);
          const sampler::Energy computed = trial.log_acceptance();
          const double error = abs(trial.exact_log_acceptance(32, *bits) - computed.value).upper();
          EXPECT_LE(error, computed.error) << name(kind) << " " << slope;
          EXPECT_LT(computed.error, 1e-6) << name(kind) << " " << slope;
        }
      }
}

// First the words it was told, then others.
class ScriptedBits final : public BitSource {
 public:
  explicit ScriptedBits(BitSource& rest) : rest_(rest) {}
  void next(std::uint64_t word) { script_.push_back(word); }
  void fill(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) {
      if (script_.empty()) {
        rest_.fill({&word, 1});
      } else {
        word = script_.front();
        script_.erase(script_.begin());
      }
    }
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "scripted"; }

 private:
  BitSource& rest_;
  std::vector<std::uint64_t> script_;
};

// The uniform agrees with the acceptance probability in its first 64 digits, or differs in the last of them:
// doubles cannot tell, and the decision must be the one of the reals.
TEST(Trial, DecidesByMoreDigitsWhereDoublesCannotTell) {
  const LossSpec loss = Link{LinkKind::logistic, 0};
  const Dataset data = testing::made_data(loss, 50, 3, 8);
  const Problem problem{.data = &data, .loss = loss, .intercept = 1};
  const sampler::Setting setting = sampler::make_setting(made_target(problem, {100, 100}, 2), 1);
  const auto rest = testing::seeded_bits(4);
  ScriptedBits bits(*rest);
  int cases = 0;
  for (int k = 0; k < 60; ++k) {
    sampler::Trial trial(setting, noise::exponential_race(setting.log_weights, bits), bits);
    if (!trial.in_shell(bits)) continue;
    // The whole part of 2^64·p, 32 binary digits at a time: a double holds them.
    const Interval p = exp(trial.exact_log_acceptance(8, bits)).times_power_of_two(32);
    const double high = p.common_floor().value(),
                 low = (p - high).times_power_of_two(32).common_floor().value();
    const std::uint64_t word = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint64_t>(low);
    ASSERT_GT(word, 1u);
    for (const int off : {-1, 1}) {
      bits.next(word + static_cast<std::uint64_t>(off));
      EXPECT_EQ(trial.wins(bits), off < 0);
    }
    EXPECT_TRUE(trial.was_undecided());
    ++cases;
  }
  EXPECT_GT(cases, 20);
}

}  // namespace
}  // namespace tacit
