#include <gtest/gtest.h>

#include "../noise/fit.hpp"
#include "cover.hpp"
#include "law.hpp"
#include "noise/coins.hpp"
#include "sampler/exact.hpp"
#include "sampler/moments.hpp"
#include "sampler/softmax_piece.hpp"
#include "sampler/trial.hpp"
#include "support/seeded_bits.hpp"
#include "targets.hpp"

namespace tacit {
namespace {

using sampler::Piece;
using sampler::Target;

constexpr double softmax_grid = 0x1p-30;

Target softmax_target(const Problem& problem, const LossLimits& limits, double strength) {
  return {.problem = &problem,
          .limits = limits,
          .inverse_temperature = 0.6,
          .strength = strength,
          .center = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem).parameters())),
          .radius = std::numeric_limits<double>::infinity()};
}

TEST(SoftmaxPiece, RisesByWhatItSaysWhateverTheSizeOfTheScores) {
  std::mt19937_64 random(3);
  std::normal_distribution<> normal;
  for (const std::size_t classes : {2U, 3U, 10U}) {
    const SoftmaxLoss softmax(classes);
    for (int k = 0; k < 300; ++k) {
      const double size = std::pow(10, normal(random) * 2);
      std::vector<double> z;
      std::vector<Interval> exact;
      for (std::size_t o = 0; o + 1 < classes; ++o) {
        z.push_back(size * normal(random));
        exact.emplace_back(z.back(), 400);
      }
      const Piece piece = sampler::softmax_piece({3, 5}, 0.5 + k % 7, k % static_cast<int>(classes));
      const sampler::Rise computed = softmax_rise(softmax, piece, z);
      const double error = abs(softmax_rise(softmax, piece, exact) - computed.value).upper();
      EXPECT_LE(error, computed.error) << classes << " " << size;
      EXPECT_LE(computed.error, 1e-12 * (1 + size));
    }
  }
}

// ω·Σ p_k p_l (U_k − U_l)² is the second derivative along z + tζ, U = Vζ, and what is stated is not above it,
// at t = 0 and, with e^{−|t|·max|U_k − U_l|}, at every t.
TEST(SoftmaxPiece, CurvatureFallsNoFasterThanTheRangeOfTheDirection) {
  std::mt19937_64 random(4);
  std::normal_distribution<> normal;
  double nearest = 1e300;
  for (const std::size_t classes : {2U, 3U, 5U})
    for (int k = 0; k < 200; ++k) {
      const SoftmaxLoss softmax(classes);
      const Piece piece = sampler::softmax_piece({100, 100}, 1, 0);
      std::vector<double> z(classes - 1), zeta(classes - 1), pairs(sampler::class_pairs(classes)),
          bend(classes - 1), p(classes);
      for (double& v : z) v = 2 * normal(random);
      for (double& v : zeta) v = normal(random);
      sampler::pair_curvatures(softmax, piece, z, 0, pairs);
      const Vector u =
          softmax.basis() * Eigen::Map<Vector>(zeta.data(), static_cast<Eigen::Index>(zeta.size()));
      double stated = 0;
      for (Eigen::Index a = 0, at = 0; a < u.size(); ++a)
        for (Eigen::Index b = a + 1; b < u.size(); ++b, ++at)
          stated += pairs[static_cast<std::size_t>(at)] * std::pow(u[a] - u[b], 2);
      for (const double t : {-3.0, -0.5, 0.0, 0.5, 3.0}) {
        std::vector<double> there = z;
        for (std::size_t o = 0; o < z.size(); ++o) there[o] += t * zeta[o];
        softmax.probabilities(there, p);
        softmax.curvature(p, zeta, bend);
        double real = 0;
        for (std::size_t o = 0; o < z.size(); ++o) real += piece.weight * bend[o] * zeta[o];
        const double least = stated * std::exp(-std::fabs(t) * (u.maxCoeff() - u.minCoeff()));
        EXPECT_LE(least, real * (1 + 1e-9) + 1e-300);
        if (t != 0) nearest = std::min(nearest, real / least);
        EXPECT_GE(least, t == 0 ? real * (1 - 1e-9) : 0.0);
      }
    }
  EXPECT_LT(nearest, 1.1);  // it is sharp: a rate any smaller would be wrong
}

TEST(SoftmaxEnvelope, CoversTheTarget) {
  for (const std::size_t classes : {2U, 3U, 5U})
    for (const std::size_t features : {1, 4})
      for (const double strength : {0.3, 20.0})
        for (const double slope : {0.8, 100.0}) {
          const LossSpec loss = Softmax{classes};
          const Dataset data = testing::made_data(loss, 40, features, 7);
          const Problem problem{.data = &data, .loss = loss, .intercept = features == 1 ? 0.0 : 1.0};
          Target target = softmax_target(problem, {slope, 100}, strength);
          target.center.setConstant(0.4);
          for (const double radius : {target.radius, 0.5}) {
            target.radius = radius;
            EXPECT_GE(testing::least_room(target, sampler::make_setting(target, 1).envelope, 5), -1e-9)
                << classes << " " << features << " " << strength << " " << slope << " " << radius;
          }
        }
}

// 180 records of one class with the row 1: every curvature falls like e^{−t} on one side.
TEST(SoftmaxEnvelope, WithHalfOfItsConstantsItDoesNotCover) {
  Dataset data;
  data.features = Features(DenseRows{180, 1, std::vector<double>(180, 1.0)});
  data.labels.assign(180, 1);
  const Problem problem{.data = &data, .loss = Softmax{3}, .intercept = 0};
  const Target target = softmax_target(problem, {100, 100}, 0.8);
  sampler::Setting setting = sampler::make_setting(target, 1);
  EXPECT_GE(testing::least_room(target, setting.envelope, 5), -1e-9);
  sampler::EnvelopeConstants halved = setting.envelope.constants;
  halved.beta /= 2, halved.sigma /= 2;
  setting.envelope.shells = sampler::make_shells(halved);
  EXPECT_LT(testing::least_room(target, setting.envelope, 5), -0.005);
}

TEST(SoftmaxTrial, ComputedLogAcceptanceIsWithinItsBoundOfTheRealOne) {
  for (const std::size_t classes : {2U, 4U})
    for (const double slope : {0.5, 30.0})
      for (const double radius : {0.7, std::numeric_limits<double>::infinity()}) {
        const LossSpec loss = Softmax{classes};
        Dataset data = testing::made_data(loss, 30, 2, 5);
        DenseRows rows = data.features.dense_rows();
        for (const auto& [record, factor] :
             {std::pair(0, 1e60), std::pair(1, 1e-60), std::pair(2, 1e300), std::pair(3, 0.0)})
          for (int k = 0; k < 2; ++k) rows.values[static_cast<std::size_t>(2 * record + k)] *= factor;
        data.features = Features(std::move(rows));
        const Problem problem{.data = &data, .loss = loss, .intercept = 1};
        Target target = softmax_target(problem, {slope, 4}, 3);
        target.radius = radius;
        target.center.setConstant(0.3);
        const sampler::Setting setting = sampler::make_setting(target, 1);
        const auto bits = testing::seeded_bits(6);
        for (int k = 0; k < 5; ++k) {
          sampler::Trial trial(setting, noise::exponential_race(setting.log_weights, *bits), *bits);
          const sampler::Energy computed = trial.log_acceptance();
          const double error = abs(trial.exact_log_acceptance(32, *bits) - computed.value).upper();
          EXPECT_LE(error, computed.error) << classes << " " << slope;
          EXPECT_LT(computed.error, 1e-6) << classes << " " << slope;
        }
      }
}

// Three classes and one feature: two parameters. n = 3000 for each target, at most four distances, each with
// a false-alarm rate of 1e-4; the quadrature's error is below 0.004.
TEST(SoftmaxSampler, HasTheLawOfItsTargetWhereverTheMinimiserLies) {
  constexpr std::size_t n = 3000;
  for (const double slope : {100.0, 0.7}) {
    const LossSpec loss = Softmax{3};
    const Dataset data = testing::made_data(loss, 12, 1, 3);
    const Problem problem{.data = &data, .loss = loss, .intercept = 0};
    Target target = softmax_target(problem, {slope, 100}, 1);
    const Vector mode = testing::minimiser_of(target);
    for (const double offset : {-1.0, 0.0, 5.0}) {
      if (offset >= 0) {  // −1: the whole space
        target.radius = 0.8;
        target.center = mode;
        target.center[0] += offset * target.radius;
      }
      sampler::ExactSampler exact(target, 1);
      const auto bits = testing::seeded_bits(11);
      std::vector<Vector> samples;
      for (std::size_t k = 0; k < n; ++k) samples.push_back(exact.draw(softmax_grid, *bits));
      EXPECT_LT(testing::worst_distance(target, samples), testing::ks_threshold(n, 1e-4) + 0.004)
          << slope << " offset " << offset;
      EXPECT_LT(exact.trials(), 200 * n) << "offset " << offset;
    }
  }
}

// The same with a sixteenth of its constants, n = 15000: another law, and the sampler itself stops.
TEST(SoftmaxSampler, WithASixteenthOfItsConstantsHasAnotherLaw) {
  constexpr std::size_t n = 15000;
  Dataset data;
  data.features = Features(DenseRows{60, 1, std::vector<double>(60, 1.0)});
  data.labels.assign(60, 1);
  const Problem problem{.data = &data, .loss = Softmax{3}, .intercept = 0};
  Target target = softmax_target(problem, {100, 100}, 0.15);
  target.center = testing::minimiser_of(target);
  target.radius = 4;  // so that the quadrature is fine
  sampler::Setting setting = sampler::make_setting(target, 1);
  for (const bool halved : {false, true}) {
    if (halved) {
      sampler::EnvelopeConstants constants = setting.envelope.constants;
      constants.beta /= 16, constants.sigma /= 16;
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
        samples.push_back(trial.rounded(softmax_grid, *bits));
    }
    const double threshold = testing::ks_threshold(n, 1e-4) + 0.004;
    const double distance = testing::worst_distance(target, samples);
    EXPECT_EQ(distance > threshold, halved) << distance;
  }
}

}  // namespace
}  // namespace tacit
