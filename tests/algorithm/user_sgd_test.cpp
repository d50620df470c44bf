#include "algorithm/user_level/user_sgd.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/seeded_bits.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::user_level {
namespace {

// Users with 1 to 2·mean records each, around ±(1.5, 0, …).
Dataset clouds(std::size_t users, std::size_t mean, std::size_t columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{0, columns, {}};
  for (std::size_t u = 0; u < users; ++u)
    for (std::size_t k = 1 + random() % (2 * mean); k > 0; --k) {
      const double y = random() % 2 == 0 ? 1 : -1;
      for (std::size_t j = 0; j < columns; ++j)
        rows.values.push_back(normal(random) + (j == 0 ? 1.5 * y : 0));
      data.labels.push_back(y);
      data.users.push_back(static_cast<std::uint32_t>(u));
      ++rows.rows;
    }
  data.user_count = users;
  data.features = Features(std::move(rows));
  return data;
}

double accuracy(const Problem& problem, const Vector& w) {
  double right = 0, z = 0;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    scores(problem, i, w, {&z, 1});
    right += (z > 0) == (problem.data->labels[i] > 0);
  }
  return right / static_cast<double>(problem.data->size());
}

SgdOptions sgd_options(double epsilon) {
  SgdOptions options;
  options.common.target = Approx{epsilon, 1e-5};
  options.common.threads = 1;
  return options;
}

TEST(UserSgd, LearnsAndCertifiesTheUser) {
  const Dataset data = clouds(400, 5, 4, 1);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({Approx{3, 1e-5}, Unit::user, Neighbours::zero_out}, *bits);
  const Release release = user_sgd(problem, sgd_options(3), meter);
  EXPECT_GT(accuracy(problem, release.parameters.value()), 0.85);  // the best is 0.93
  EXPECT_EQ(release.certificate.unit, Unit::user);
  EXPECT_EQ(release.certificate.assumed_public.integer("users"), 400);
  EXPECT_EQ(release.certificate.assumed_public.integer("records"), 400 * 100) << "the real number is private";
  EXPECT_TRUE(fits(release.certificate.guarantee, Approx{3, 1e-5}));
}

TEST(UserSgd, RefusesAMeterForRecords) {
  const Dataset data = clouds(20, 3, 2, 1);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({Approx{1, 1e-5}, Unit::item, Neighbours::zero_out}, *bits);
  EXPECT_THROW(user_sgd(problem, sgd_options(1), meter), UsageError);
}

// One user holds half of all records, with huge rows: what it adds to a sum keeps the length, however many
// records it has, and the more it has the sum is no longer.
TEST(UserSgd, OneUserWithHalfOfAllRecordsAddsNoMoreThanAnother) {
  for (const double size : {1.0, 1e8, 1e300})
    for (const std::optional<double> clip : {std::optional<double>(), std::optional(0.1)}) {
      Dataset data = clouds(50, 4, 3, 2);
      const std::size_t others = data.size();
      DenseRows rows = data.features.dense_rows();
      for (std::size_t k = 0; k < others; ++k) {
        rows.values.insert(rows.values.end(), {size, -size, size});
        data.labels.push_back(1);
        data.users.push_back(50);
      }
      rows.rows += others;
      data.user_count = 51;
      data.features = Features(std::move(rows));
      const Problem problem{.data = &data, .loss = Link{LinkKind::squared, 0}};
      SgdOptions options = sgd_options(1);
      options.common.clip_norm = clip;
      const auto plan = user_level::plan_user_sgd(51, 4, options);
      const UserRecords users = records_of_users(data);
      const BatchSums sums = user_level::user_sgd_sums(problem, users, plan, options);
      Vector with, without;
      std::vector<std::uint32_t> batch(50);
      for (std::uint32_t u = 0; u < 50; ++u) batch[u] = u;
      sums(Vector::Ones(4), batch, without);
      batch.push_back(50);
      sums(Vector::Ones(4), batch, with);
      EXPECT_LE((with - without).norm(), plan.sensitivity.total());
      const double least = size < 1e300 ? 0.5 : 0;  // rows that long contribute nothing
      EXPECT_GE((with - without).norm(), least * plan.sensitivity.total());
    }
}

TEST(UserSgd, WeighsByRecordsWhenAsked) {
  Dataset data;
  data.features = Features(DenseRows{5, 1, {1, 1, 1, 1, 1}});
  data.labels = {1, 1, 1, 1, 1};
  data.users = {0, 0, 0, 0, 1};
  data.user_count = 2;
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
  const UserRecords users = records_of_users(data);
  SgdOptions options = sgd_options(1);
  options.records_per_user = 4;
  const auto plan = user_level::plan_user_sgd(2, 1, options);
  const std::vector<std::uint32_t> first{0}, second{1};
  Vector a, b;
  const Vector w = Vector::Zero(1);
  BatchSums sums = user_level::user_sgd_sums(problem, users, plan, options);
  sums(w, first, a), sums(w, second, b);
  EXPECT_EQ(a[0], b[0]);
  options.weighting = Weighting::record;
  sums = user_level::user_sgd_sums(problem, users, plan, options);
  sums(w, first, a), sums(w, second, b);
  EXPECT_NEAR(b[0] / a[0], 0.25, 1e-12);
}

TEST(UserSgd, RebuildsItsStepsFromTheCertificate) {
  const Dataset data = clouds(60, 3, 2, 1);
  const Problem problem{.data = &data, .loss = Link{LinkKind::hinge, 0}};
  const auto bits = testing::seeded_bits(1);
  RootMeter meter({Approx{1, 1e-5}, Unit::user, Neighbours::add_remove}, *bits);
  SgdOptions options = sgd_options(1);
  options.common.neighbours = Neighbours::add_remove;
  EXPECT_THROW(user_sgd(problem, options, meter), UsageError) << "the number of users is private";
  options.common.records = 64;
  const Release release = user_sgd(problem, options, meter);
  const auto steps =
      find_method("user-sgd").rebuild_steps(release.certificate.options, release.certificate.assumed_public);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].event, release.certificate.steps[0].event);
  EXPECT_EQ(steps[0].scale, release.certificate.steps[0].scale);
}

TEST(UserSgdOptions, RefuseWhatIsForRecords) {
  SgdOptions options = sgd_options(1);
  options.common.private_min = true;
  EXPECT_THROW(options.validate(), UsageError);
  options = sgd_options(1);
  options.records_per_user = 0;
  EXPECT_THROW(options.validate(), UsageError);
}

}  // namespace
}  // namespace tacit::user_level
