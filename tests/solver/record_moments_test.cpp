#include "solver/record_moments.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tacit/problem.hpp"

namespace tacit {
namespace {

constexpr double weight = 0.5;

struct Records {
  Dataset data;
  Problem problem;
  Matrix rows;  // with the constant
};

// Dense or sparse rows with gaps.
std::unique_ptr<Records> made(std::size_t n, std::size_t columns, bool sparse) {
  auto records = std::make_unique<Records>();
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  DenseRows dense{.rows = n, .columns = columns, .values = {}};
  SparseRows rows{.rows = n, .columns = columns};
  records->rows.setOnes(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(columns) + 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < columns; ++k) {
      const double value = (i + k) % 3 == 0 ? 0 : normal(random);
      records->rows(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = value;
      dense.values.push_back(value);
      if (value != 0) {
        rows.column.push_back(static_cast<std::uint32_t>(k));
        rows.value.push_back(value);
      }
    }
    rows.start.push_back(rows.value.size());
    records->data.labels.push_back(normal(random) > 0 ? 1 : -1);
  }
  records->data.features = sparse ? Features(std::move(rows)) : Features(std::move(dense));
  records->data.target_kind = TargetKind::classes;
  records->data.classes = {"a", "b"};
  records->problem = {.data = &records->data, .loss = Link{LinkKind::logistic, 0}};
  return records;
}

TEST(RecordMoments, AreTheSumsOfCurvatureAndVariation) {
  const LossLimits loose{.slope = 100, .curvature = 100};  // no record reaches them
  Vector w(4);
  w << 0.3, -0.2, 0.5, 0.1;
  for (const bool sparse : {false, true}) {
    const auto records = made(3000, 3, sparse);
    Matrix curvature = Matrix::Zero(4, 4), variation = curvature;
    for (Eigen::Index i = 0; i < 3000; ++i) {
      const Vector a = records->rows.row(i);
      const LinkPoint at =
          evaluate(Link{LinkKind::logistic, 0}, a.dot(w), records->data.labels[static_cast<std::size_t>(i)]);
      curvature += at.second * a * a.transpose();
      variation += at.first * at.first * a * a.transpose();
    }
    for (const unsigned threads : {1u, 3u}) {
      const Vector found = record_moments(records->problem, loose, 0, w, weight, threads);
      ASSERT_EQ(found.size(), 20);
      EXPECT_LT((100 * from_triangle(found.data(), 4) - curvature).norm(), 1e-9 * curvature.norm());
      EXPECT_LT((1e4 / weight * from_triangle(found.data() + 10, 4) - variation).norm(),
                1e-9 * variation.norm());
    }
  }
}

TEST(RecordMoments, DoNotDependOnTheNumberOfThreads) {
  const auto records = made(20000, 3, false);
  const LossLimits limits{.slope = 1, .curvature = 1};
  const Vector w = Vector::Constant(4, 0.2);
  EXPECT_EQ(record_moments(records->problem, limits, 0, w, weight, 1),
            record_moments(records->problem, limits, 0, w, weight, 7));
}

// 1024 rows a in (0.99, 1) of one feature, each the one of many at random whose square takes most of the
// sum's last digit away: every addition is off in the same direction, by nearly half a unit of the last
// place.
TEST(RecordMoments, AreAsFarOffAsAQuarterOfTheirBound) {
  constexpr std::size_t n = 1024;
  std::mt19937_64 random(4);
  std::uniform_real_distribution<> near_one(0.99, 1);
  Dataset data;
  DenseRows rows{.rows = n, .columns = 1, .values = {}};
  double sum = 0;
  long double lost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    long double most = -1;
    double best = 1;
    for (int k = 0; k < 300; ++k) {
      const double a = near_one(random), square = a * a, next = sum + square;
      const long double off = (static_cast<long double>(sum) + static_cast<long double>(a) * a) - next;
      if (off > most) most = off, best = a;
    }
    rows.values.push_back(best);
    lost += most;
    sum += best * best;
  }
  data.features = Features(std::move(rows));
  data.labels.assign(n, 0);
  data.target_kind = TargetKind::numeric;
  const Problem problem{.data = &data, .loss = Link{LinkKind::squared, 0}, .intercept = 0};
  const LossLimits limits{.slope = 100, .curvature = 1};  // a curvature of 1, so that v is the row itself
  const Vector found = record_moments(problem, limits, 0, Vector::Zero(1), weight, 1);
  ASSERT_EQ(found[0], sum);
  const double bound = record_moments_rounding(n, 1, weight);
  EXPECT_LE(static_cast<double>(lost), bound);
  EXPECT_GT(static_cast<double>(lost), bound / 4);
}

TEST(RecordMoments, KeepTheNormOfATriangle) {
  const std::vector<double> triangle = {1, 2, 3, 4, 5, 6};
  double squares = 0;
  for (const double x : triangle) squares += x * x;
  EXPECT_NEAR(from_triangle(triangle.data(), 3).norm(), std::sqrt(squares), 1e-12);
}

}  // namespace
}  // namespace tacit
