#include "solver/extension.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "solver/link_loss.hpp"
#include "solver/structured.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

static_assert(ConvexLoss<LinkLoss> && ConvexLoss<PolyhedralLoss>);

// A loss of the caller's own: ‖w − zᵢ‖∞, which is no function of one linear score.
class MaxDistance {
 public:
  explicit MaxDistance(std::vector<Vector> points) : points_(std::move(points)) {}
  std::size_t records() const { return points_.size(); }
  std::size_t dimension() const { return static_cast<std::size_t>(points_[0].size()); }
  double lipschitz() const { return 1; }
  double error() const { return 1e-14; }
  double value(std::size_t i, const Vector& w) const { return (w - points_[i]).lpNorm<Eigen::Infinity>(); }
  void subgradient(std::size_t i, const Vector& w, Vector& g) const {
    const Vector gap = w - points_[i];
    Eigen::Index k = 0;
    gap.cwiseAbs().maxCoeff(&k);
    g.setZero(w.size());
    g[k] = gap[k] > 0 ? 1 : -1;
  }

 private:
  std::vector<Vector> points_;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double normal() { return std::normal_distribution<>()(engine_); }
  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine_); }
  Vector vector(Eigen::Index d, double scale) {
    return Vector::NullaryExpr(d, [&] { return scale * normal(); });
  }
  Vector in_ball(Eigen::Index d, double radius) {
    const Vector direction = vector(d, 1).normalized();
    return radius * std::pow(uniform(0, 1), 1 / static_cast<double>(d)) * direction;
  }

 private:
  std::mt19937_64 engine_;
};

Dataset dataset(std::size_t records, std::size_t columns, bool classes, Random& random, double row_size = 1) {
  Dataset data;
  DenseRows rows{records, columns, {}};
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t j = 0; j < columns; ++j) rows.values.push_back(row_size * random.normal());
    const double score = rows.values[i * columns] + random.normal();
    data.labels.push_back(classes ? (score > 0 ? 1 : -1) : score);
  }
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::numeric;
  return data;
}

// f_C by brute force over a grid of W, d = 2: within the grid's spacing of the truth from above.
double extension_by_grid(const ConvexLossRef& loss, std::size_t record, const Vector& w, double c,
                         double radius) {
  constexpr int cells = 400;
  double best = loss.value(record, w);
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j) {
      const Vector y = radius * Vector{{2.0 * i / cells - 1, 2.0 * j / cells - 1}};
      if (y.norm() <= radius) best = std::min(best, loss.value(record, y) + c * (w - y).norm());
    }
  return best;
}

TEST(LipschitzExtension, IsConvexLipschitzAndEqualToTheLossWhereThatIsLipschitz) {
  Random random(1);
  const Ball ball{Vector::Zero(2), 1.5};
  for (const Link link :
       {Link{LinkKind::absolute, 0}, Link{LinkKind::squared, 0}, Link{LinkKind::logistic, 0}}) {
    const Dataset data = dataset(6, 2, link.kind == LinkKind::logistic, random, 1.5);
    const Problem problem{.data = &data, .loss = link, .intercept = 0};
    const LinkLoss links(problem, 8, 1.5);
    const ConvexLossRef loss(links);
    constexpr double c = 1, accuracy = 0.05;
    for (std::size_t i = 0; i < loss.records(); ++i) {
      const Vector u = random.in_ball(2, 1.5), w = random.in_ball(2, 1.5);
      const auto at = [&](const Vector& x) { return extension_value(loss, i, x, c, ball, accuracy); };
      const ExtensionValue low = at(u), high = at(w), middle = at(0.5 * u + 0.5 * w);
      EXPECT_LE(middle.lower, 0.5 * (low.upper + high.upper)) << "convex";
      EXPECT_LE(high.lower - low.upper, c * (u - w).norm()) << "C-Lipschitz";
      EXPECT_LE(high.lower, loss.value(i, w) + 1e-12) << "below the loss";
      const double truth = extension_by_grid(loss, i, w, c, 1.5);
      EXPECT_LE(high.lower, truth + 1e-12);
      EXPECT_GE(high.upper, truth - 9 * 0.0075) << "grid spacing times A + C";
      EXPECT_LE(high.upper - high.lower, accuracy);
    }
    const LinkLoss gentle(problem, 0.9, 1.5);  // A ≤ C: nothing to extend
    const ConvexLossRef same(gentle);
    for (std::size_t i = 0; i < same.records(); ++i) {
      const Vector w = random.in_ball(2, 1.5);
      const ExtensionValue value = extension_value(same, i, w, c, ball, accuracy);
      EXPECT_LE(value.lower, same.value(i, w) + 1e-12);
      EXPECT_GE(value.upper, same.value(i, w) - 1e-12);
    }
  }
}

// The minimum of F over a grid of the (local) ball, from brackets of the structured oracle.
double objective(const ExtensionSetting& setting, const PolyhedralLoss& loss, const Vector& w) {
  const StructuredOracle oracle(setting.domain, setting.lipschitz);
  double sum = 0;
  for (std::size_t i = 0; i < loss.records(); ++i) sum += oracle.cut(loss[i], w).upper;
  return sum / static_cast<double>(loss.records()) +
         0.5 * setting.regularisation * (w - setting.center).squaredNorm();
}

TEST(AdaptiveSubgradient, StopsByItsRuleWithinItsBoundAtTheMinimiserOfTheStructuredRoute) {
  Random random(2);
  for (int trial = 0; trial < 6; ++trial) {
    const Dataset data = dataset(5, 2, false, random);
    const Problem problem{.data = &data, .loss = Link{LinkKind::absolute, 0}, .intercept = 0};
    ExtensionSetting setting{
        .lipschitz = 1, .regularisation = 0.5, .center = Vector::Zero(2), .domain = Ball{Vector::Zero(2), 1}};
    if (trial % 2 == 1) setting.local = Ball{random.in_ball(2, 1), 0.4};
    const PolyhedralLoss loss = polyhedral_loss(problem, 3, 1);
    constexpr double accuracy = 0.05;
    const double bound = subgradient_iterations(setting, sizes_of(loss), accuracy).iterations;
    const Accurate joint = minimise_extension(setting, loss, accuracy);
    EXPECT_LE(joint.gap, accuracy);
    EXPECT_LE(static_cast<double>(joint.iterations), bound);
    EXPECT_GT(static_cast<double>(joint.iterations), 0.01 * bound) << "the bound is not vacuous here";

    const Accurate direct = minimise_structured(setting, loss, 1e-3);
    EXPECT_LE(direct.gap, 1e-3);
    EXPECT_EQ(static_cast<double>(direct.iterations),
              structured_iterations(setting, sizes_of(loss), 1e-3).iterations);
    const double distance = std::sqrt(2 * joint.gap / 0.5) + std::sqrt(2 * direct.gap / 0.5);
    EXPECT_LE((joint.point - direct.point).norm(), distance);
    EXPECT_LE(objective(setting, loss, joint.point) - objective(setting, loss, direct.point),
              joint.gap + 1e-6);
    EXPECT_LE(objective(setting, loss, direct.point) - objective(setting, loss, joint.point),
              direct.gap + 1e-6);
    if (setting.local) {
      EXPECT_LE((joint.point - setting.local->center).norm(), 0.4 * (1 + 1e-12));
    }
  }
}

TEST(AdaptiveSubgradient, TakesALossOfTheCallersOwnOnABox) {
  Random random(3);
  std::vector<Vector> points;
  for (int k = 0; k < 7; ++k) points.push_back(random.vector(2, 1));
  const MaxDistance loss(points);
  const ExtensionSetting setting{.lipschitz = 2,
                                 .regularisation = 0.1,
                                 .center = Vector::Zero(2),
                                 .domain = Box{Vector::Constant(2, -1), Vector::Constant(2, 1)}};
  const Accurate found = minimise_extension(setting, loss, 0.05);
  EXPECT_LE(found.gap, 0.05);
  double least = std::numeric_limits<double>::infinity(), at_found = 0;
  const auto value = [&](const Vector& w) {
    double sum = 0.05 * w.squaredNorm();
    for (std::size_t i = 0; i < points.size(); ++i) sum += loss.value(i, w) / 7;
    return sum;
  };
  at_found = value(found.point);
  for (int i = -200; i <= 200; ++i)
    for (int j = -200; j <= 200; ++j) least = std::min(least, value(Vector{{i / 200.0, j / 200.0}}));
  EXPECT_LE(at_found - least, found.gap) << "A ≤ C: the extension is the loss";
}

TEST(AdaptiveSubgradient, KnowsWhichAccuracyDoublesCannotCertify) {
  ExtensionSetting setting{
      .lipschitz = 1, .regularisation = 1, .center = Vector::Zero(2), .domain = Ball{Vector::Zero(2), 1}};
  const LossSizes sizes{.records = 10, .dimension = 2, .lipschitz = 1, .error = 1e-15};
  EXPECT_EQ(subgradient_iterations(setting, sizes, 1e-3).too_coarse, "");
  EXPECT_NE(subgradient_iterations(setting, sizes, 1e-12).too_coarse, "");
  EXPECT_EQ(structured_iterations(setting, sizes, 1e-3).too_coarse, "");
  EXPECT_NE(structured_iterations(setting, sizes, 1e-12).too_coarse, "");
  setting.domain = Ellipsoid{Vector::Zero(2), Matrix::Identity(2, 2)};
  EXPECT_THROW(subgradient_iterations(setting, sizes, 1e-3), UsageError);
}

}  // namespace
}  // namespace tacit
