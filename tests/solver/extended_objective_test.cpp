#include "solver/extended_objective.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "domain/samples.hpp"
#include "solver/constrained.hpp"
#include "solver/extension.hpp"
#include "solver/link_loss.hpp"

namespace tacit {
namespace {

// The least value of a convex function on [low, high], by golden section.
long double least(const std::function<long double(long double)>& f, long double low, long double high) {
  constexpr long double golden = 0.618033988749894848204586834L;
  long double a = high - golden * (high - low), b = low + golden * (high - low), fa = f(a), fb = f(b);
  for (int k = 0; k < 150; ++k) {
    if (fa <= fb) {
      high = b, b = a, fb = fa;
      a = high - golden * (high - low), fa = f(a);
    } else {
      low = a, a = b, fa = fb;
      b = low + golden * (high - low), fb = f(b);
    }
  }
  return std::min({fa, fb, f(low), f(high)});
}

struct Instance {
  Dataset data;
  Problem problem;
  ExtendedSetting setting;
};

// H of the extension.
long double huber(const ExtendedSetting& setting, long double r) {
  const long double c = setting.lipschitz, q = setting.curvature;
  return r * q <= c ? q * r * r / 2 : c * r - c * c / (2 * q);
}

double loss_at(const Instance& at, double score) {
  const double norm = row_norm(at.data.features.row(0), 0);
  return evaluate(std::get<Link>(at.problem.loss),
                  {div_down(at.setting.gradient_bound, norm), std::numeric_limits<double>::infinity()}, score,
                  at.data.labels[0])
      .value;
}

// f̃(w) on a ball, by the distance of w to {y ∈ W, ⟨a,y⟩ = t}: a formula that the path does not use.
long double value_on_ball(const Instance& at, const Vector& w) {
  const Ball& ball = std::get<Ball>(at.setting.domain);
  const Eigen::Map<const Vector> a(at.data.features.row(0).values, w.size());
  const long double norm = a.norm(), p = a.dot(w - ball.center) / norm,
                    r = ball.radius + at.setting.lipschitz / at.setting.curvature;
  const long double across = std::sqrt(std::max(0.0L, (w - ball.center).squaredNorm() - p * p));
  return least(
      [&](long double s) {
        const long double width = std::sqrt(std::max(0.0L, r * r - s * s));
        const long double far = std::hypot(s - p, std::max(0.0L, across - width));
        return loss_at(at, static_cast<double>(a.dot(ball.center) + norm * s)) + huber(at.setting, far);
      },
      -r, r);
}

long double value_on_box(const Instance& at, const Vector& w) {
  const Box& box = std::get<Box>(at.setting.domain);
  const Eigen::Map<const Vector> a(at.data.features.row(0).values, w.size());
  const long double more = at.setting.lipschitz / at.setting.curvature;
  return least(
      [&](long double first) {
        return least(
            [&](long double second) {
              const long double far = std::hypot(w[0] - first, w[1] - second);
              return loss_at(at, static_cast<double>(a[0] * first + a[1] * second)) + huber(at.setting, far);
            },
            box.lower[1] - more, box.upper[1] + more);
      },
      box.lower[0] - more, box.upper[0] + more);
}

Instance one_record(samples::Source& source, const Domain& domain, std::size_t columns) {
  const Link links[] = {{LinkKind::absolute, 0}, {LinkKind::squared, 0},          {LinkKind::hinge, 0},
                        {LinkKind::logistic, 0}, {LinkKind::smoothed_hinge, 0.5}, {LinkKind::pinball, 0.3},
                        {LinkKind::huber, 0.7}};
  Instance at;
  const Link link = links[source.index(0, 6)];
  DenseRows rows{1, columns, {}};
  const double norm = std::pow(10, source.uniform(-1, 2));
  const Vector a = source.vector(static_cast<Eigen::Index>(columns), norm);
  rows.values.assign(a.data(), a.data() + a.size());
  at.data.features = Features(std::move(rows));
  at.data.labels = {facts(link).classification ? (source.index(0, 1) == 0 ? -1.0 : 1.0)
                                               : norm * 0.5 * source.normal()};
  at.problem = {.loss = link, .intercept = 0};
  at.setting = {.lipschitz = 1,
                .gradient_bound = 20,
                .curvature = std::pow(10, source.uniform(0.5, 4)),
                .regularisation = 0.1,
                .center = Vector::Zero(static_cast<Eigen::Index>(columns)),
                .domain = domain};
  return at;
}

Vector point_of(samples::Source& source, const Domain& domain, std::size_t columns) {
  return project(domain, source.vector(static_cast<Eigen::Index>(columns), source.index(0, 1) == 0 ? 0.5 : 3))
      .point;
}

// A subgradient at w, up to the public error, of values that were found another way.
void expect_cuts(const Domain& domain, std::size_t columns, int trials,
                 long double (*value)(const Instance&, const Vector&)) {
  samples::Source source(7);
  int steep = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Instance at = one_record(source, domain, columns);
    at.problem.data = &at.data;
    const ExtendedObjective objective(at.problem, at.setting, 1);
    const GradientCut error = extended_error(at.setting, shape_of(at.problem));
    const Vector w = point_of(source, domain, columns), g = objective.record_gradient(0, w);
    EXPECT_LE(g.norm(), at.setting.lipschitz + error.vector);
    steep += g.norm() > 0.999 * at.setting.lipschitz ? 1 : 0;
    const long double here = value(at, w);
    for (int k = 0; k < 4; ++k) {
      // Near and far: near ones catch a wrong direction, which far ones may hide.
      const Vector away = point_of(source, domain, columns);
      const Vector u = w + std::pow(10, -2 * k) * (away - w);
      const long double slack = error.cut + error.vector * (u - w).norm() + 1e-12L;
      EXPECT_GE(value(at, u) - here - static_cast<long double>(g.dot(u - w)), -slack)
          << "trial " << trial << ", near " << k;
    }
  }
  EXPECT_GT(steep, trials / 10) << "too few records were extended at all";
  EXPECT_LT(steep, trials) << "every record was extended";
}

TEST(ExtendedRecord, CutsBelowItsValuesOnABall) {
  expect_cuts(Ball{Vector{{0.2, -0.1, 0.3}}, 1}, 3, 400, value_on_ball);
}
TEST(ExtendedRecord, CutsBelowItsValuesOnABox) {
  expect_cuts(Box{Vector{{-1, -0.5}}, Vector{{0.7, 1}}}, 2, 30, value_on_box);
}

// At the boundary of W a steep record still pulls with all of C, straight out of it.
TEST(ExtendedRecord, PullsAtTheBoundaryAsWithin) {
  Instance at;
  at.data.features = Features(DenseRows{1, 2, {5, 0}});
  at.data.labels = {100};
  at.problem = {.data = &at.data, .loss = Link{LinkKind::absolute, 0}, .intercept = 0};
  at.setting = {1, 20, 100, 1, 0, Vector::Zero(2), Ball{Vector::Zero(2), 1}};
  const ExtendedObjective on_ball(at.problem, at.setting, 1);
  EXPECT_NEAR(on_ball.record_gradient(0, Vector{{1, 0}})[0], -1, 1e-12);
  EXPECT_NEAR(on_ball.record_gradient(0, Vector{{0, 0}})[0], -1, 1e-12);
  // Off the axis the best point slides along the boundary of W⁺: the pull is turned inwards.
  const Vector turned = on_ball.record_gradient(0, Vector{{0.6, 0.8}});
  EXPECT_LE(turned.norm(), 1 + 1e-12);
  EXPECT_GT(turned[1], 0.1);
  at.setting.domain = Box{Vector{{-1, -1}}, Vector{{1, 1}}};
  const ExtendedObjective on_box(at.problem, at.setting, 1);
  EXPECT_NEAR(on_box.record_gradient(0, Vector{{1, 0.5}})[0], -1, 1e-12);
  EXPECT_NEAR(on_box.record_gradient(0, Vector{{0, 0.5}})[0], -1, 1e-12);
}

Dataset heavy_records(std::size_t records, std::size_t columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  std::student_t_distribution<> heavy(2.5);
  Dataset data;
  DenseRows rows{records, columns, {}};
  for (std::size_t i = 0; i < records; ++i) {
    double score = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      rows.values.push_back(heavy(random));
      score += rows.values.back() * (j % 2 == 0 ? 0.4 : -0.4);
    }
    data.labels.push_back(score + 0.3 * normal(random));
  }
  data.features = Features(std::move(rows));
  return data;
}

struct Solved {
  Constrained at;
  double distance;
};
Solved solved(const Problem& problem, const ExtendedSetting& setting,
              const ConstrainedOptions& options = {}) {
  const Shape shape = shape_of(problem);
  const ConstrainedSetting solver{.domain = setting.domain,
                                  .strength = setting.regularisation,
                                  .curvature = setting.curvature,
                                  .pull = setting.lipschitz,
                                  .lipschitz = setting.lipschitz + setting.regularisation * 4,
                                  .error = extended_error(setting, shape),
                                  .residual = 1e-6 * setting.lipschitz / static_cast<double>(shape.records)};
  ExtendedObjective objective(problem, setting, 1);
  const ConstrainedOracle oracle{[&](const Vector& w, Vector& g) { objective.gradient(w, g); },
                                 [&](double q) { objective.round_off(q); }};
  return {minimise_constrained(solver, oracle, setting.center, options), constrained_distance(solver)};
}

TEST(ConstrainedSolver, FastAndProvableMethodsAgreeWithinTheCertifiedDistance) {
  const Dataset data = heavy_records(20, 3, 3);
  for (const Link link : {Link{LinkKind::absolute, 0}, Link{LinkKind::squared, 0}})
    for (const Domain& domain : {Domain(Ball{Vector::Zero(3), 0.3}), Domain(Ball{Vector::Zero(3), 2}),
                                 Domain(Box{Vector::Constant(3, -0.2), Vector::Constant(3, 0.5)})}) {
      const Problem problem{.data = &data, .loss = link, .intercept = 0};
      const ExtendedSetting setting{2, 10, 8, 0.2, 0, Vector::Zero(3), domain};
      const Solved fast = solved(problem, setting), sure = solved(problem, setting, {.passes = 0});
      EXPECT_FALSE(fast.at.fell_back);
      EXPECT_TRUE(sure.at.fell_back);
      EXPECT_LE((fast.at.point - sure.at.point).norm(), 2 * fast.distance);
      EXPECT_LT(fast.distance, 1e-5);
      EXPECT_TRUE(contains(domain, fast.at.point));
    }
}

// Algorithm 3 of [Lowy26] on the joint problem, where that runs, finds the same minimiser.
void expect_agreement_with_algorithm_three(std::size_t records) {
  const Dataset data = heavy_records(records, 2, 11);
  const std::pair<Link, Domain> cases[] = {
      {{LinkKind::absolute, 0}, Ball{Vector::Zero(2), 0.05}},
      {{LinkKind::squared, 0}, Box{Vector{{-0.01, -0.04}}, Vector{{0.03, 0.02}}}}};
  for (const auto& [link, domain] : cases) {
    const Problem problem{.data = &data, .loss = link, .intercept = 0};
    constexpr double c = 1, a = 3, lambda = 20, q = 1e7, accuracy = 1e-3;
    const Solved at = solved(problem, {c, a, q, lambda, 0, Vector::Zero(2), domain});
    const Accurate joint = minimise_extension(
        {.lipschitz = c, .regularisation = lambda, .center = Vector::Zero(2), .domain = domain},
        LinkLoss(problem, a, largest_norm(domain)), accuracy);
    const double rounded = (a + 1.5 * c) * std::sqrt(2.0) * c / q;
    const double apart = std::sqrt(2 * joint.gap / lambda) + std::sqrt(2 * rounded / lambda) + at.distance;
    EXPECT_LE((at.at.point - joint.point).norm(), apart);
    EXPECT_LT(apart, 0.011) << "too coarse to tell two minimisers apart";
    EXPECT_GT(at.at.point.norm(), 2 * apart);
  }
}
TEST(ExtendedObjective, AgreesWithAlgorithmThree) { expect_agreement_with_algorithm_three(4); }
TEST(LongExtendedObjective, AgreesWithAlgorithmThreeOnTwentyAndEightyRecords) {
  for (const std::size_t records : {20u, 80u}) expect_agreement_with_algorithm_three(records);
}

// With a strong pull the center is nearer to the minimiser than any solver could promise to come.
TEST(ConstrainedSolver, StaysAtTheCenterWhereNothingCanBeFound) {
  const Dataset data = heavy_records(20, 3, 3);
  const Problem problem{.data = &data, .loss = Link{LinkKind::absolute, 0}, .intercept = 0};
  const Vector center = Vector::Constant(3, 0.1);
  const Solved at = solved(problem, {2, 10, 1e14, 1e13, 0, center, Ball{Vector::Zero(3), 1}});
  EXPECT_EQ(at.at.point, center);
  EXPECT_LE(at.distance, 2.1e-13);
}

TEST(ExtendedObjective, RefusesWhatItDoesNotKnow) {
  const Dataset data = heavy_records(4, 2, 1);
  Problem problem{.data = &data, .loss = Softmax{3}, .intercept = 0};
  const ExtendedSetting setting{1, 2, 10, 1, 0, Vector::Zero(2), Ball{Vector::Zero(2), 1}};
  EXPECT_THROW(ExtendedObjective(problem, setting, 1), UsageError);
  problem.loss = Link{LinkKind::poisson, 0};
  EXPECT_THROW(ExtendedObjective(problem, setting, 1), UsageError);
}

}  // namespace
}  // namespace tacit
