#include "solver/structured.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "domain/samples.hpp"
#include "solver/certified.hpp"
#include "solver/link_loss.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

Polytope square_without_a_corner() {
  Polytope polytope{Matrix(5, 2), Vector(5)};
  polytope.a << 1, 0, -1, 0, 0, 1, 0, -1, 1, 1;
  polytope.b << 1, 1, 1, 1, 1.2;
  return polytope;
}

std::vector<Domain> domains() {
  Matrix shape(2, 2);
  shape << 1, 0.3, 0.3, 4;
  return {Ball{Vector{{0.2, -0.1}}, 1}, Box{Vector{{-1, -0.5}}, Vector{{0.7, 1}}},
          Ellipsoid{Vector{{0.1, 0}}, shape}, square_without_a_corner()};
}

// Points of the domain, boundary included, to try y on.
std::vector<Vector> grid_of(const Domain& domain) {
  constexpr int cells = 120;
  const Projector onto(domain);
  std::vector<Vector> points;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j <= cells; ++j)
      points.push_back(onto(Vector{{-1.2 + 2.4 * i / cells, -1.2 + 2.4 * j / cells}}).point);
  return points;
}

// f_C by brute force, from above.
double by_grid(const PolyhedralRecord& record, const std::vector<Vector>& grid, const Vector& w, double c) {
  double best = record.value(w);
  for (const Vector& y : grid) best = std::min(best, record.value(y) + c * (w - y).norm());
  return best;
}

// Affine, ReLU, hinge, absolute and pinball, of rows from gentle to 1e300, with kinks in and out of reach.
PolyhedralRecord random_record(samples::Source& source, double gradient_bound) {
  const double slopes[5][2] = {{1, 1}, {0, 1}, {0, 1}, {-1, 1}, {-0.3, 0.7}};
  const auto* kind = slopes[source.index(0, 4)];
  const double norm = source.index(0, 9) == 0 ? 1e60 : std::pow(10, source.uniform(-1, 2));
  return polyhedral_record(source.vector(2, norm), norm * source.normal(), kind[0], kind[1], gradient_bound,
                           2);
}

TEST(StructuredOracle, CutsBelowTheExtensionWithASmallGapOnEveryDomain) {
  samples::Source source(1);
  constexpr double c = 1, gradient_bound = 30;
  int steep = 0;
  for (const Domain& domain : domains()) {
    const StructuredOracle oracle(domain, c);
    const Projector onto(domain);
    const std::vector<Vector> grid = grid_of(domain);
    for (int trial = 0; trial < 60; ++trial) {
      const PolyhedralRecord record = random_record(source, gradient_bound);
      const Vector w = onto(source.vector(2)).point;
      const Cut cut = oracle.cut(record, w);
      steep += record.high > c && cut.slope.norm() < 0.999 * c;
      EXPECT_LE(cut.slope.norm(), c * (1 + 1e-12));
      EXPECT_LE(cut.upper - cut.lower, 1e-5);
      EXPECT_GE(cut.upper, cut.lower);
      const double truth = by_grid(record, grid, w, c);
      EXPECT_LE(cut.lower, truth + 1e-12);
      EXPECT_GE(cut.upper, truth - 0.03 * (gradient_bound + c));
      for (int k = 0; k < 3; ++k) {
        const Vector u = onto(source.vector(2)).point;
        EXPECT_LE(cut.lower + cut.slope.dot(u - w), by_grid(record, grid, u, c) + 1e-12) << "minorant on W";
      }
    }
  }
  EXPECT_GT(steep, 5) << "some cuts come from the path to the boundary";
}

TEST(StructuredOracle, GapsStayBelowTheirPublicBound) {
  samples::Source source(2);
  for (const Domain& domain : {domains()[0], domains()[1]}) {
    const Projector onto(domain);
    for (int trial = 0; trial < 3000; ++trial) {
      const double c = std::pow(10, source.uniform(-2, 1)), bound = c * std::pow(10, source.uniform(0, 3));
      const StructuredOracle oracle(domain, c);
      const Cut cut = oracle.cut(random_record(source, bound), onto(source.vector(2)).point);
      EXPECT_LE(cut.upper - cut.lower, oracle.gap_bound(bound, 2));
    }
  }
}

// The structured route on hinge and absolute losses against Newton's method on the slope-limited loss. Rows
// obey C, so that both minimise the same function but for the corner that Newton's method rounds off.
TEST(StructuredMinimiser, AgreesWithTheCertifiedSolver) {
  samples::Source source(3);
  for (const Link link : {Link{LinkKind::hinge, 0}, Link{LinkKind::absolute, 0}}) {
    constexpr std::size_t m = 12;
    Dataset data;
    DenseRows rows{m, 2, {}};
    for (std::size_t i = 0; i < m; ++i) {
      const Vector a = source.vector(2).normalized() * source.uniform(0.2, 1);
      rows.values.insert(rows.values.end(), {a[0], a[1]});
      data.labels.push_back(link.kind == LinkKind::hinge ? (a[0] + source.normal() > 0 ? 1 : -1) : a[0]);
    }
    data.features = Features(std::move(rows));
    const Problem problem{.data = &data, .loss = link, .intercept = 0};
    const ExtensionSetting setting{
        .lipschitz = 1, .regularisation = 0.2, .center = Vector::Zero(2), .domain = Ball{Vector::Zero(2), 5}};
    const Accurate found = minimise_structured(setting, polyhedral_loss(problem, 1, 5), 1e-3);
    EXPECT_LE(found.gap, 1e-3);

    constexpr double corner = 1e6;  // Q: a corner's envelope is within ‖a‖²/(2Q)
    LimitedObjective objective(problem, {.slope = 1, .curvature = corner},
                               {.strength = 0.2 * m, .center = Vector::Zero(2)}, Vector::Zero(2), 0, 1);
    const Certified newton = minimise(objective, {});
    EXPECT_LE((found.point - newton.point).norm(),
              std::sqrt(2 * found.gap / 0.2) + newton.distance + std::sqrt(2 / (0.2 * corner)));
  }
}

TEST(PolyhedralRecord, IsLimitedAndConvexWhateverTheRowHolds) {
  samples::Source source(4);
  for (const double size : {1e-320, 1e-200, 1e-70, 1.0, 1e70, 1e200, 1e300}) {
    const PolyhedralRecord record = polyhedral_record(source.vector(3, size), 1e300, -1, 1, 5, 1);
    EXPECT_LE(record.normal.norm(), 1);
    EXPECT_LE(record.low, record.high);
    EXPECT_LE(std::max(std::fabs(record.low), std::fabs(record.high)), 5);
    EXPECT_LE(std::fabs(record.offset), 4);
    EXPECT_TRUE(std::isfinite(record.value(Vector::Ones(3))));
  }
}

TEST(StructuredOracle, RefusesUnboundedDomains) {
  EXPECT_THROW(StructuredOracle(WholeSpace{}, 1), UsageError);
  EXPECT_THROW(StructuredOracle(Ball{Vector::Zero(2), 1}, 0), UsageError);
}

}  // namespace
}  // namespace tacit
