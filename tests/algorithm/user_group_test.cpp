#include "algorithm/user_level/user_group.hpp"

#include <gtest/gtest.h>

#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"
#include "user_data.hpp"

namespace tacit::user_level {
namespace {

GroupOptions groups_of_four(Neighbours neighbours) {
  GroupOptions options{.target = {3, 1e-5}, .records_per_user = 4};
  options.common.neighbours = neighbours;
  options.common.threads = 1;
  return options;
}

TEST(UserGroup, LearnsAndItsCertificateIsRebuiltUnderBothRelations) {
  const Dataset data = testing::users_with_a_line(400, 4, 3, 1);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  for (const Neighbours neighbours : {Neighbours::zero_out, Neighbours::add_remove}) {
    GroupOptions options = groups_of_four(neighbours);
    if (neighbours == Neighbours::add_remove) options.user_count = 390;
    const auto bits = testing::seeded_bits(1);
    RootMeter meter({options.target, Unit::user, neighbours}, *bits);
    const Release release = user_group(problem, options, meter);
    EXPECT_GT(testing::accuracy(problem, release.parameters.value()), 0.8);
    const auto rebuilt = find_method("user-group")
                             .rebuild_steps(release.certificate.options, release.certificate.assumed_public);
    ASSERT_EQ(rebuilt.size(), 1u);
    EXPECT_EQ(rebuilt[0].event, release.certificate.steps[0].event);
    EXPECT_EQ(rebuilt[0].scale, release.certificate.steps[0].scale);
  }
}

// The number of users would be in the certificate.
TEST(UserGroup, AsksForAPublicNumberOfUsersWhereTheirsIsPrivate) {
  EXPECT_THROW(groups_of_four(Neighbours::add_remove).validate(), UsageError);
  EXPECT_NO_THROW(groups_of_four(Neighbours::zero_out).validate());
}

TEST(UserGroup, RefusesNoiseThatIsTooLittleForItsCharge) {
  const Shape shape{.features = 3, .loss = Link{LinkKind::logistic, 0}};
  GroupOptions options = groups_of_four(Neighbours::zero_out);
  const auto plan = user_level::plan_user_group(400, shape, options);
  const double z = std::get<PoissonGaussianEvent>(plan.records.release.event).noise_multiplier;
  options.common.noise_multiplier = z;
  EXPECT_NO_THROW(user_level::plan_user_group(400, shape, options));
  options.common.noise_multiplier = 0.99 * z;
  EXPECT_THROW(user_level::plan_user_group(400, shape, options), UsageError);
}

}  // namespace
}  // namespace tacit::user_level
