#pragma once

// Where a posterior sample wins: uneven curvature. The mean condition number of the objective is
// κ = tr H/(d·nλ), H its Hessian; noise on the minimiser costs κ times what a sample does [docs/choosing.md].

#include <Eigen/Cholesky>
#include <random>

#include "common.hpp"
#include "tacit/method.hpp"
#include "tacit/root_meter.hpp"

namespace experiment {

// Rows within the unit ball with E xxᵀ = I/(3d), squared loss, labels in [−1, 1].
struct QuadraticTask {
  static constexpr std::size_t records = 10'000, columns = 5;
  Dataset data;
  Matrix hessian = Matrix::Zero(columns, columns);  // of the mean loss
  Vector slope = Vector::Zero(columns);             // of it at 0, negated

  explicit QuadraticTask(std::mt19937_64& random) {
    std::uniform_real_distribution<> uniform(-1, 1);
    DenseRows rows{records, columns, {}};
    for (std::size_t i = 0; i < records; ++i) {
      Vector x(columns);
      for (double& v : x) v = uniform(random) / std::sqrt(static_cast<double>(columns));
      const double y = std::clamp(x.sum() / 2 + 0.1 * uniform(random), -1.0, 1.0);
      rows.values.insert(rows.values.end(), x.begin(), x.end());
      data.labels.push_back(y);
      hessian += x * x.transpose() / static_cast<double>(records);
      slope += y * x / static_cast<double>(records);
    }
    data.features = Features(std::move(rows));
  }
  // The regularisation for which the mean condition number is κ.
  double regularisation(double condition) const {
    return hessian.trace() / static_cast<double>(columns) / (condition - 1);
  }
  double excess(const Vector& w, double regularisation) const {
    const Matrix h = hessian + regularisation * Matrix::Identity(columns, columns);
    const Vector off = w - h.ldlt().solve(slope);
    return 0.5 * off.dot(h * off);
  }
};

struct Mean {
  double value = 0, error = 0;  // and its standard error
};
inline Mean mean_of(const std::vector<double>& values) {
  Mean result;
  const double n = static_cast<double>(values.size());
  for (const double x : values) result.value += x / n;
  for (const double x : values) result.error += (x - result.value) * (x - result.value) / (n * (n - 1));
  result.error = std::sqrt(result.error);
  return result;
}

inline void condition(const Paths& paths) {
  constexpr int draws = 50;
  constexpr double clip = 2;  // |residual| ≤ 2 wherever w is near: the limit does not bind
  std::mt19937_64 random(1);
  const QuadraticTask task(random);
  const Problem problem{.data = &task.data, .loss = Link{LinkKind::squared, 0}, .intercept = 0};
  const auto bits = noise::system_bits();
  const auto measured = [&](const std::string& method, const Guarantee& budget, Facts facts, double lambda) {
    facts.set("regularisation", lambda);
    if (method == "dp-gd") {  // `auto` has no learning rate, which a regulariser needs
      facts.set("steps", std::int64_t{100}), facts.set("iterate", std::string("last"));
      facts.set("clip_norm", fmt::format("{}", clip));
      facts.set("step", clip / (lambda + task.hessian.trace()));
    } else {
      facts.set("slope_limit", clip), facts.set("curvature_limit", 1.0);
    }
    std::vector<double> excess;
    for (int k = 0; k < draws; ++k) {
      RootMeter meter({budget, Unit::item, Neighbours::replace_one}, *bits);
      excess.push_back(
          1e6 * task.excess(find_method(method).fit(problem, facts, meter).parameters.value(), lambda));
    }
    return mean_of(excess);
  };
  struct Side {
    std::string title;
    Guarantee budget;
    Facts facts;
  };
  Facts mu, epsilon;
  mu.set("mu", 1.0);
  epsilon.set("epsilon", 4.0);
  std::string table =
      "| budget | mean condition | `posterior-exact` | `limited-output` | ratio | `dp-gd`, 100 steps |\n"
      "|---|---|---|---|---|---|\n";
  std::vector<Plot> panels;
  for (const Side& side : {Side{"mu = 1", Gaussian{1}, mu}, Side{"epsilon = 4", Pure{4}, epsilon}}) {
    Series sample{.name = "posterior sample"}, output{.name = "noise on the minimiser"},
        descent{.name = "descent, 100 steps"};
    for (const double kappa : {2.0, 4.0, 11.0, 31.0, 101.0}) {
      const double lambda = task.regularisation(kappa);
      const Mean a = measured("posterior-exact", side.budget, side.facts, lambda),
                 b = measured("limited-output", side.budget, side.facts, lambda);
      table += fmt::format("| {} | {:g} | {:.3g} ± {:.1g} | {:.3g} ± {:.1g} | {:.2g} |", side.title, kappa,
                           a.value, a.error, b.value, b.error, b.value / a.value);
      if (std::holds_alternative<Gaussian>(side.budget)) {
        const Mean c = measured("dp-gd", side.budget, side.facts, lambda);
        table += fmt::format(" {:.3g} ± {:.1g} |\n", c.value, c.error);
        descent.x.push_back(kappa), descent.y.push_back(c.value), descent.spread.push_back(c.error);
      } else {
        table += " not pure |\n";
      }
      for (const auto& [series, mean] : {std::pair(&sample, &a), std::pair(&output, &b)}) {
        series->x.push_back(kappa), series->y.push_back(mean->value);
        series->spread.push_back(mean->error);
      }
    }
    panels.push_back({.title = "Uneven curvature, " + side.title,
                      .x_label = "mean condition number",
                      .y_label = "excess empirical risk, millionths",
                      .log_x = true,
                      .log_y = true,
                      .series = {sample, output}});
    if (!descent.x.empty()) panels.back().series.push_back(descent);
  }
  publish(paths, "condition", table);
  publish(paths, "condition", panels[0], panels[1]);
}

}  // namespace experiment
