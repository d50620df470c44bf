#include "solver/certified.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

namespace tacit {
namespace {

struct Case {
  Dataset data;
  Problem problem;
};

// n records of d features with tails heavy enough to produce a few huge rows.
std::unique_ptr<Case> random_case(const LossSpec& loss, std::size_t n, std::size_t d, bool sparse,
                                  unsigned seed) {
  auto made = std::make_unique<Case>();
  std::mt19937_64 random(seed);
  std::student_t_distribution<> heavy(1.5);
  std::vector<double> values(n * d);
  for (double& x : values) x = sparse && random() % 3 != 0 ? 0.0 : heavy(random);
  if (sparse) {
    SparseRows rows{.rows = n, .columns = d};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j)
        if (values[i * d + j] != 0) {
          rows.column.push_back(static_cast<std::uint32_t>(j));
          rows.value.push_back(values[i * d + j]);
        }
      rows.start.push_back(rows.value.size());
    }
    made->data.features = Features(std::move(rows));
  } else {
    made->data.features = Features(DenseRows{n, d, values});
  }
  const auto* link = std::get_if<Link>(&loss);
  for (std::size_t i = 0; i < n; ++i) {
    const double noise = std::normal_distribution<>()(random);
    if (!link)
      made->data.labels.push_back(static_cast<double>(random() % std::get<Softmax>(loss).classes));
    else if (facts(*link).classification)
      made->data.labels.push_back(values[i * d] + noise > 0 ? 1 : -1);
    else
      made->data.labels.push_back(link->kind == LinkKind::poisson ? std::floor(std::fabs(3 * noise))
                                                                  : values[i * d] + noise);
  }
  made->problem = {.data = &made->data, .loss = loss};
  return made;
}

const std::vector<LossSpec> all_losses = {Link{LinkKind::squared, 0},
                                          Link{LinkKind::huber, 0.7},
                                          Link{LinkKind::absolute, 0},
                                          Link{LinkKind::pinball, 0.2},
                                          Link{LinkKind::logistic, 0},
                                          Link{LinkKind::hinge, 0},
                                          Link{LinkKind::smoothed_hinge, 0.5},
                                          Link{LinkKind::poisson, 0},
                                          Softmax{2},
                                          Softmax{4}};

LimitedObjective objective_of(const Case& made, const Vector& tilt, unsigned threads) {
  const auto p = static_cast<Eigen::Index>(shape_of(made.problem).parameters());
  return {made.problem, {.slope = 2, .curvature = 3}, {.strength = 4, .center = Vector::Zero(p)}, tilt, 100,
          threads};
}

Vector random_tilt(const Case& made, unsigned seed) {
  std::mt19937_64 random(seed);
  Vector tilt(static_cast<Eigen::Index>(shape_of(made.problem).parameters()));
  for (auto& x : tilt) x = std::normal_distribution<>(0, 10)(random);
  return tilt;
}

TEST(CertifiedSolver, MeetsItsPublicCapOnEveryLoss) {
  for (std::size_t k = 0; k < all_losses.size(); ++k)
    for (const bool sparse : {false, true}) {
      const auto made = random_case(all_losses[k], 700, 6, sparse, static_cast<unsigned>(k));
      LimitedObjective objective = objective_of(*made, random_tilt(*made, 5), 2);
      const Certified solution = minimise(objective, {});
      const GradientError cap = solver_distance(objective.gradient_error(), 4);
      EXPECT_LE(solution.distance, cap.at(solution.point.norm())) << "loss " << k;
      EXPECT_LT(solution.distance, 1e-7) << "loss " << k;
      EXPECT_GT(solution.distance, 0) << "loss " << k;
    }
}

// The same problem by the two methods, from different arithmetic: each within its certificate of the
// minimiser.
TEST(CertifiedSolver, NewtonAndTheProvableMethodAgreeWithinTheirCertificates) {
  for (const LossSpec& loss :
       {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Link{LinkKind::hinge, 0}), LossSpec(Softmax{3})}) {
    const auto made = random_case(loss, 20, 3, false, 11);
    const Vector tilt = random_tilt(*made, 6);
    LimitedObjective first = objective_of(*made, tilt, 1), second = objective_of(*made, tilt, 2);
    const Certified by_newton = minimise(first, {});
    const Certified by_descent = minimise(second, {.newton_steps = 0});
    EXPECT_LE((by_newton.point - by_descent.point).norm(), by_newton.distance + by_descent.distance);
    EXPECT_LE(by_descent.distance, solver_distance(second.gradient_error(), 4).at(by_descent.point.norm()));
  }
}

// Hard problems: few heavy-tailed records, limits far from the data's sizes, conditions up to 1e7.
TEST(CertifiedSolver, NewtonReachesItsCapOnBadlyConditionedProblems) {
  std::mt19937_64 random(21);
  const auto log_uniform = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random));
  };
  int most = 0;
  for (unsigned trial = 0; trial < 900; ++trial) {
    const LossSpec& loss = all_losses[trial % all_losses.size()];
    const auto made = random_case(loss, 1 + random() % 40, 1 + random() % 6, trial % 2 == 0, trial);
    const auto p = static_cast<Eigen::Index>(shape_of(made->problem).parameters());
    const double q = log_uniform(1e-2, 1e4), strength = q * log_uniform(1e-7, 1);
    const Vector tilt = log_uniform(1e-3, 1e3) * random_tilt(*made, trial);
    LimitedObjective objective(made->problem, {.slope = log_uniform(1e-2, 1e3), .curvature = q},
                               {.strength = strength, .center = Vector::Zero(p)}, tilt, 100, 1);
    const Certified solution = minimise(objective, {});
    EXPECT_FALSE(solution.fell_back) << "trial " << trial;
    EXPECT_LE(solution.distance,
              solver_distance(objective.gradient_error(), strength).at(solution.point.norm()));
    most = std::max(most, solution.newton_steps);
  }
  EXPECT_LT(most, 150);
}

// Squared loss without limits has a closed form.
TEST(CertifiedSolver, SolvesRidgeRegression) {
  const auto made = random_case(Link{LinkKind::squared, 0}, 200, 4, false, 2);
  Matrix a(200, 5);
  Vector y(200);
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 4; ++j)
      a(i, j) = made->data.features.dense_rows().values[static_cast<std::size_t>(i * 4 + j)];
    a(i, 4) = 1;
    y[i] = made->data.labels[static_cast<std::size_t>(i)];
  }
  const Vector exact = (a.transpose() * a + 4 * Matrix::Identity(5, 5)).llt().solve(a.transpose() * y);
  LimitedObjective objective(made->problem, {.slope = 1e12, .curvature = 1e12},
                             {.strength = 4, .center = Vector::Zero(5)}, Vector::Zero(5), 0, 2);
  EXPECT_LT((minimise(objective, {}).point - exact).norm(), 1e-6);
}

// The error bound: gradients in double against long double sums, for rows up to 1e60.
TEST(LimitedObjective, ComputedGradientIsWithinItsBoundOfTheRealOne) {
  const auto made = random_case(Link{LinkKind::logistic, 0}, 3000, 20, false, 4);
  DenseRows rows = made->data.features.dense_rows();
  for (std::size_t k = 0; k < 40; ++k) rows.values[k] *= 1e60;
  made->data.features = Features(rows);
  LimitedObjective objective = objective_of(*made, Vector::Zero(21), 2);
  Vector w = random_tilt(*made, 8), g;
  objective.gradient(w, g, nullptr);

  std::vector<long double> exact(21);
  for (std::size_t j = 0; j < 21; ++j) exact[j] = 4.0L * w[static_cast<Eigen::Index>(j)];
  for (std::size_t i = 0; i < 3000; ++i) {
    const double norm = row_norm(made->data.features.row(i), 1);
    const Limits limits = limits_of_record(2, 3, norm);
    long double s = w[20];
    for (std::size_t j = 0; j < 20; ++j)
      s += static_cast<long double>(rows.values[i * 20 + j]) * w[static_cast<Eigen::Index>(j)];
    const long double y = made->data.labels[i];
    const long double weight = std::min(1.0L, 4.0L * limits.curvature);
    const long double pull = std::min<long double>(weight / (1 + std::exp(y * s)), limits.slope);
    for (std::size_t j = 0; j < 20; ++j) exact[j] -= y * pull * rows.values[i * 20 + j];
    exact[20] -= y * pull;
  }
  long double square = 0;
  for (std::size_t j = 0; j < 21; ++j)
    square += (exact[j] - g[static_cast<Eigen::Index>(j)]) * (exact[j] - g[static_cast<Eigen::Index>(j)]);
  const double error = static_cast<double>(std::sqrt(square)),
               bound = objective.gradient_error().at(w.norm());
  EXPECT_LE(error, bound);
  EXPECT_GT(error, bound * 1e-6) << "the bound is far too loose to be of use";
}

TEST(LimitedObjective, HessianAndCurvatureAgreeWithDifferencesOfTheGradient) {
  for (const LossSpec& loss : {LossSpec(Link{LinkKind::logistic, 0}), LossSpec(Softmax{2})})
    for (const bool sparse : {false, true}) {
      const auto made = random_case(loss, 300, 5, sparse, 12);
      LimitedObjective objective = objective_of(*made, Vector::Zero(6), 2);
      const Vector w = 0.01 * random_tilt(*made, 3), direction = random_tilt(*made, 4).normalized();
      Vector g, up, down, product;
      Matrix hessian;
      objective.gradient(w + 1e-6 * direction, up, nullptr);
      objective.gradient(w - 1e-6 * direction, down, nullptr);
      objective.gradient(w, g, &hessian);
      objective.curvature(direction, product);
      const Vector by_matrix = hessian.selfadjointView<Eigen::Lower>() * direction;
      EXPECT_LT((product - by_matrix).norm(), 1e-10 * product.norm());
      EXPECT_LT(((up - down) / 2e-6 - product).norm(), 0.02 * product.norm());
    }
}

// F − F̃ is B-Lipschitz, B the mean of what the limit takes off the steepest slopes, (Aᵢ − C)₊: by strong
// convexity, twice, limiting moves the minimiser by at most B/λ [docs/limited_output.md].
TEST(LimitedObjective, LimitingMovesTheMinimiserByAtMostTheMeanExcessOverTheStrength) {
  std::mt19937_64 random(3);
  std::student_t_distribution<> heavy(2.5);
  constexpr double none = std::numeric_limits<double>::infinity();
  constexpr std::size_t n = 200;
  double nearest = 0;
  for (int round = 0; round < 60; ++round) {
    const Link link = round % 2 == 0 ? Link{LinkKind::logistic, 0} : Link{LinkKind::huber, 0.5};
    DenseRows rows{n, 3, {}};
    Dataset data;
    for (std::size_t i = 0; i < n; ++i) {
      for (int j = 0; j < 3; ++j) rows.values.push_back(heavy(random));
      const double y = rows.values[3 * i] - rows.values[3 * i + 1] + heavy(random);
      data.labels.push_back(round % 2 == 0 ? (y > 0 ? 1 : -1) : y);
    }
    data.features = Features(std::move(rows));
    const Problem problem{.data = &data, .loss = link, .intercept = 0};
    const double lambda = std::exp2(-(round % 7)), limit = 0.25 * std::exp2(round % 5);
    const auto solved = [&](double slope) {
      LimitedObjective objective(problem, {.slope = slope, .curvature = none},
                                 {.strength = n * lambda, .center = Vector::Zero(3)}, Vector::Zero(3), none,
                                 1);
      return minimise(objective, {.relative_tolerance = 1e-12}).point;
    };
    double excess = 0;  // B; sup|φ'| is 1 for logistic and the width for Huber
    for (std::size_t i = 0; i < n; ++i)
      excess += std::fmax((round % 2 == 0 ? 1 : 0.5) * row_norm(data.features.row(i), 0) - limit, 0) / n;
    const double moved = (solved(limit) - solved(none)).norm(), bound = excess / lambda;
    EXPECT_LE(moved, bound + 1e-9) << round;
    nearest = std::fmax(nearest, moved / bound);
  }
  EXPECT_GT(nearest, 0.2) << "a bound of a fifth would go unnoticed";
}

TEST(LimitedObjective, SparseMatricesWithoutEntriesAreMinimisedToo) {
  Case made;
  made.data.features =
      Features(SparseRows{.rows = 3, .columns = 2, .start = {0, 0, 0, 0}, .column = {}, .value = {}});
  made.data.labels = {1, 1, -1};
  made.problem = {.data = &made.data, .loss = Link{LinkKind::logistic, 0}};
  LimitedObjective objective = objective_of(made, Vector::Zero(3), 1);
  const Certified solution = minimise(objective, {});
  EXPECT_EQ(solution.point[0], 0);
  EXPECT_GT(solution.point[2], 0);
}

TEST(LimitedObjective, RowsBeyondTheRangeContributeNothing) {
  const auto made = random_case(Link{LinkKind::logistic, 0}, 50, 3, false, 12);
  DenseRows rows = made->data.features.dense_rows();
  rows.values[0] = 1e300;
  rows.values[1] = -1e300;
  made->data.features = Features(rows);
  LimitedObjective objective = objective_of(*made, Vector::Zero(4), 1);
  Vector g;
  objective.gradient(Vector::Constant(4, 1e8), g, nullptr);
  EXPECT_TRUE(g.allFinite());
}

}  // namespace
}  // namespace tacit
