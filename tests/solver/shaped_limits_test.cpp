// Claim: with blocks, every record's gradient lies in s·K whatever the record holds, its curvature stays
// within Q, and the bound on the gradient's error holds with C₂ = s·√Σρ².

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "solver/limited_objective.hpp"

namespace tacit {
namespace {

constexpr double s = 0.55, q = 2;
const FeatureBlocks blocks({{4, 1}, {3, 0.5}, {1, 1}});

// Rows at corners of K, halfway between two knots, inside, outside by far, and zero.
std::vector<std::vector<double>> rows() {
  std::vector<std::vector<double>> rows{{1, 0, 0, 0, 0.5, 0, 0},    {0.5, 0.5, 0, 0, 0, 0.25, 0.25},
                                        {0, 0, 0, 0, 0, 0, 0},      {0.1, 0, 0, 0, 0, 0, 0},
                                        {1e30, 0, 0, 0, 0, 0, 1},   {-1e-30, 0, 0, 0, 0, 1e-30, 0},
                                        {1, -1, 1, -1, 1, -1, 1e9}, {0.25, 0.25, 0.25, 0.25, 0, 0, 0.5}};
  std::mt19937_64 random(3);
  std::student_t_distribution<> heavy(1);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> row(7);
    for (double& x : row) x = heavy(random);
    rows.push_back(row);
  }
  return rows;
}

struct OneRecord {
  Dataset data;
  Problem problem;
  OneRecord(const std::vector<double>& row, double label, const LossSpec& loss) {
    data.features = Features(DenseRows{1, row.size(), row});
    data.labels = {label};
    problem = {.data = &data, .loss = loss, .blocks = blocks};
  }
};

// The record's own gradient: the regulariser's part, of strength 1, is taken off.
Vector record_gradient(const OneRecord& record, const LossLimits& limits, const Vector& w) {
  LimitedObjective objective(record.problem, limits, {.strength = 1, .center = Vector::Zero(w.size())},
                             Vector::Zero(w.size()), 5, 1);
  Vector gradient;
  objective.gradient(w, gradient, nullptr);
  return gradient - w;
}

double gauge(const Vector& v, std::size_t outputs) {
  return blocks.gauge({v.data(), static_cast<std::size_t>(v.size())}, outputs);
}

// The steepest gradient, by gauge, over outputs of all sizes and directions.
double steepest(const LossLimits& limits, const LossSpec& loss, double label, std::size_t outputs) {
  std::mt19937_64 random(5);
  std::normal_distribution<> normal;
  double most = 0;
  for (const auto& row : rows()) {
    const OneRecord record(row, label, loss);
    for (const double size : {0.01, 1.0, 100.0, 1e4})
      for (int k = 0; k < 4; ++k) {
        Vector w(static_cast<Eigen::Index>(outputs * blocks.features()));
        for (double& x : w) x = size * normal(random);
        // What is taken off was rounded beside a gradient of any size.
        most = std::max(most, gauge(record_gradient(record, limits, w), outputs) - 1e-13 * size);
      }
  }
  return most;
}

TEST(ShapedLimits, EveryRecordsGradientLiesInTheShapeWhateverItHolds) {
  const LossLimits limits{s, q, blocks};
  for (const LinkKind kind : {LinkKind::logistic, LinkKind::squared, LinkKind::hinge, LinkKind::poisson})
    for (const double label : {1.0, -1.0}) {
      if (kind == LinkKind::poisson && label < 0) continue;
      const double most = steepest(limits, Link{kind, 0}, label, 1);
      EXPECT_LE(most, s * (1 + 1e-12)) << name(kind);
      EXPECT_GE(most, s * (1 - 1e-6)) << name(kind) << ": the limit is reached";
    }
  for (const double label : {0.0, 2.0}) {
    const double most = steepest(limits, Softmax{3}, label, 2);
    EXPECT_LE(most, s * (1 + 1e-12));
    EXPECT_GE(most, 0.9 * s);
  }
}

TEST(ShapedLimits, AnEuclideanLimitWouldLeaveTheShape) {
  // C chosen so that corners, rows of ℓ2 norm √Σρ², may pull as hard: halfway between knots is too hard.
  const double c = s * blocks.l2_bound();
  EXPECT_GT(steepest({c, q}, Link{LinkKind::hinge, 0}, 1, 1), 1.2 * s);
}

// Noise in the plane of the full blocks covers gradients in it. A row elsewhere, which no encoder makes, is a
// null record: its gradient is 0, exactly, whatever it holds.
TEST(ShapedLimits, ARowOutsideThePlaneOfTheNoiseContributesNothing) {
  const FeatureBlocks planar({{4, 1, true}, {3, 0.5}, {1, 1, true}});
  const LossLimits limits{s, q, planar};
  const Link hinge{LinkKind::hinge, 0};
  Vector w(8);
  w << 1, -2, 3, -4, 5, -6, 7, 8;
  for (const auto& row : rows()) {
    const bool inside = planar.holds({row.data(), nullptr, row.size()}, 1);
    for (const double label : {-1.0, 1.0})
      if (const OneRecord record(row, label, hinge); !inside) {
        EXPECT_EQ(record_gradient(record, limits, w), Vector::Zero(8));
      }
  }
  const OneRecord corner({0, 1, 0, 0, 0, 0, 0.5}, 1, hinge), near({0, 1, 0x1p-60, 0, 0, 0, 0.5}, 1, hinge);
  const Vector gradient = record_gradient(corner, limits, -w);
  EXPECT_GT(gradient.norm(), 0.5);
  EXPECT_NEAR(gradient.head(4).sum(), gradient[7], 1e-13);
  EXPECT_EQ(record_gradient(near, limits, -w), Vector::Zero(8));
  // With noise in all of K it counts.
  EXPECT_GT(record_gradient(near, {s, q, planar.without_plane()}, -w).norm(), 0.5);
}

TEST(ShapedLimits, TheEuclideanBoundOnAGradientHolds) {
  const LossLimits limits{s, q, blocks};
  EXPECT_GE(limits.gradient_norm(), s * 1.5);  // √(1 + ¼ + 1) = 1.5
  EXPECT_LE(limits.gradient_norm(), s * 1.5 * (1 + 1e-14));
  EXPECT_EQ((LossLimits{s, q}).gradient_norm(), s);
  const OneRecord corner({1, 0, 0, 0, 0.5, 0, 0}, 1, Link{LinkKind::hinge, 0});
  Vector w = Vector::Zero(8);
  w[0] = -100;
  EXPECT_NEAR(record_gradient(corner, limits, w).norm(), limits.gradient_norm(), 1e-10);
}

TEST(ShapedLimits, CurvatureIsLimitedByTheEuclideanNorm) {
  const LossLimits limits{1e6, 0.1, blocks};
  for (const auto& row : rows()) {
    const OneRecord record(row, 1, Link{LinkKind::squared, 0});
    LimitedObjective objective(record.problem, limits, {.strength = 1, .center = Vector::Zero(8)},
                               Vector::Zero(8), 0, 1);
    Vector gradient, product;
    const Vector w = Vector::Zero(8);
    objective.gradient(w, gradient, nullptr);
    Vector a = Vector::Ones(8);
    for (std::size_t j = 0; j < 7; ++j) a[static_cast<Eigen::Index>(j)] = row[j];
    a.normalize();
    objective.curvature(a, product);
    EXPECT_LE(a.dot(product) - 1, 0.1 * (1 + 1e-12));
  }
}

TEST(ShapedLimits, TheErrorBoundCountsTheEuclideanSizeOfAGradient) {
  const Shape shape{.records = 1000, .features = 8, .outputs = 1, .loss = Link{LinkKind::logistic, 0}};
  const GradientError shaped = gradient_error(shape, {s, q, blocks}, 1, 0, 0),
                      plain = gradient_error(shape, {s * 1.5, q}, 1, 0, 0);
  EXPECT_GE(shaped.constant, plain.constant);
  EXPECT_LE(shaped.constant, plain.constant * (1 + 1e-12));
  EXPECT_EQ(shaped.per_distance, plain.per_distance);
}

}  // namespace
}  // namespace tacit
