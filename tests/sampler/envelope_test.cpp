#include "sampler/envelope.hpp"

#include <gtest/gtest.h>

#include <random>

#include "cover.hpp"
#include "sampler/trial.hpp"
#include "targets.hpp"

namespace tacit {
namespace {

using sampler::Envelope;
using sampler::Target;
using testing::least_room;

struct Case {
  LinkKind kind;
  double parameter, slope, curvature;
};
// Limits that bind for some, limits that do not.
const std::vector<Case> cases = {{LinkKind::logistic, 0, 100, 100}, {LinkKind::logistic, 0, 0.8, 100},
                                 {LinkKind::logistic, 0, 2, 0.5},   {LinkKind::squared, 0, 20, 100},
                                 {LinkKind::squared, 0, 2, 1},      {LinkKind::huber, 1, 20, 100},
                                 {LinkKind::absolute, 0, 20, 3},    {LinkKind::pinball, 0.3, 20, 3},
                                 {LinkKind::hinge, 0, 20, 3},       {LinkKind::smoothed_hinge, 0.5, 20, 100}};

TEST(Envelope, CoversTheTargetForEveryLinkAndPull) {
  for (const Case& one : cases)
    for (const std::size_t features : {2, 13})
      for (const double strength : {0.3, 20.0}) {
        const LossSpec loss = Link{one.kind, one.parameter};
        const Dataset data = testing::made_data(loss, 40, features, 7);
        const Problem problem{.data = &data, .loss = loss, .intercept = 0};
        Target target{.problem = &problem,
                      .limits = {one.slope, one.curvature},
                      .inverse_temperature = 0.7,
                      .strength = strength,
                      .center = Vector::Constant(static_cast<Eigen::Index>(features), 0.4),
                      .radius = std::numeric_limits<double>::infinity()};
        for (const double radius : {target.radius, 0.5}) {
          target.radius = radius;
          const sampler::Setting setting = sampler::make_setting(target, 1);
          EXPECT_GE(least_room(target, setting.envelope, 5), -1e-9)
              << name(one.kind) << " " << one.slope << " " << features << " " << strength << " " << radius;
        }
      }
}

// No center makes it fail, however far from the minimiser and whatever pull it asks for.
TEST(Envelope, IsFoundHoweverFarTheCenterIs) {
  for (const Case& one : cases)
    for (const double far : {1e3, 1e8, 1e13, 1e15}) {
      const LossSpec loss = Link{one.kind, one.parameter};
      const Dataset data = testing::made_data(loss, 40, 2, 7);
      const Problem problem{.data = &data, .loss = loss, .intercept = 0};
      const Target target{.problem = &problem,
                          .limits = {one.slope, one.curvature},
                          .inverse_temperature = 0.7,
                          .strength = 2,
                          .center = Vector::Constant(2, far),
                          .radius = 0.5};
      EXPECT_TRUE(std::isfinite(sampler::make_setting(target, 1).envelope.log_cost))
          << name(one.kind) << " " << one.slope << " " << far;
    }
}

// n records with the row 1 and the label 1, and a regulariser that balances them.
double room_with_half(const LossSpec& loss, std::size_t records, double strength) {
  Dataset data;
  data.features = Features(DenseRows{records, 1, std::vector<double>(records, 1.0)});
  data.labels.assign(records, 1);
  data.target_kind = TargetKind::numeric;
  const Problem problem{.data = &data, .loss = loss, .intercept = 0};
  const Target target{.problem = &problem,
                      .limits = {100, 100},
                      .inverse_temperature = 1,
                      .strength = strength,
                      .center = Vector::Zero(1),
                      .radius = std::numeric_limits<double>::infinity()};
  sampler::Setting setting = sampler::make_setting(target, 1);
  EXPECT_GE(least_room(target, setting.envelope, 5), -1e-9);
  sampler::EnvelopeConstants halved = setting.envelope.constants;
  halved.beta /= 2;
  halved.sigma /= 2;
  halved.kink /= 2;
  setting.envelope.shells = sampler::make_shells(halved);
  return least_room(target, setting.envelope, 5);
}

TEST(Envelope, WithHalfOfItsConstantsItDoesNotCover) {
  // All margins are near 4, where the curvature falls like e^{−t}; then a corner half a unit away.
  EXPECT_LT(room_with_half(Link{LinkKind::logistic, 0}, 180, 0.8), -0.02);
  EXPECT_LT(room_with_half(Link{LinkKind::smoothed_hinge, 2}, 16, 8), -0.02);
}

}  // namespace
}  // namespace tacit
