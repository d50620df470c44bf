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

// Steps of noisy descent at the rate 1/β that leave 1/n of the first excess: κ ln n with κ = β/λ [Lin24, end
// of Section 4].
inline std::int64_t theorem_steps(double smoothness, double regularisation, double records) {
  return static_cast<std::int64_t>(std::ceil(smoothness / regularisation * std::log(records)));
}

// Descent over all records in three ways.
enum class Descent { hundred, theorem, automatic };

inline Facts descent_facts(const QuadraticTask& task, Descent way, double clip, double lambda) {
  const double smoothness = lambda + task.hessian.trace();
  Facts facts;
  facts.set("iterate", std::string("last"));
  facts.set("steps", way == Descent::theorem ? theorem_steps(smoothness, lambda, QuadraticTask::records)
                                             : std::int64_t{100});
  if (way == Descent::automatic) return facts;  // its step is chosen in its favour
  facts.set("clip_norm", fmt::format("{}", clip));
  facts.set("step", clip / smoothness);
  return facts;
}

inline void condition(const Paths& paths) {
  constexpr int draws = 50, choosing = 3;
  constexpr double clip = 2;  // |residual| ≤ 2 wherever w is near: the limit does not bind
  std::mt19937_64 random(1);
  const QuadraticTask task(random);
  const Problem problem{.data = &task.data, .loss = Link{LinkKind::squared, 0}, .intercept = 0};
  const auto bits = noise::system_bits();
  const auto fits = [&](const std::string& method, const Guarantee& budget, Facts facts, double lambda,
                        int count) {
    facts.set("threads", std::int64_t{1});
    std::vector<double> excess;
    for (int k = 0; k < count; ++k) {
      RootMeter meter({budget, Unit::item, Neighbours::replace_one}, *bits);
      excess.push_back(
          1e6 * task.excess(find_method(method).fit(problem, facts, meter).parameters.value(), lambda));
    }
    return mean_of(excess);
  };
  const auto measured = [&](const std::string& method, const Guarantee& budget, Facts facts, double lambda) {
    facts.set("regularisation", lambda);
    facts.set("slope_limit", clip), facts.set("curvature_limit", 1.0);
    return fits(method, budget, facts, lambda, draws);
  };
  const auto descended = [&](Descent way, double mu_size, double lambda) {
    Facts facts = descent_facts(task, way, clip, lambda);
    facts.set("mu", mu_size), facts.set("regularisation", lambda);
    if (way == Descent::automatic) {  // the best of five step lengths, by runs that are not counted
      double best = 0, least = std::numeric_limits<double>::infinity();
      for (const double step : {0.01, 0.03, 0.1, 0.3, 1.0}) {
        facts.set("step", step);
        const double found = fits("dp-gd", Gaussian{mu_size}, facts, lambda, choosing).value;
        if (found < least) least = found, best = step;
      }
      facts.set("step", best);
    }
    // Ten of those that take a tenth of a second or more each.
    const int count =
        way == Descent::automatic || (way == Descent::theorem && facts.integer("steps") > 1000) ? 10 : draws;
    return fits("dp-gd", Gaussian{mu_size}, facts, lambda, count);
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
      "| budget | mean condition | `posterior-exact` | `limited-output` | ratio | `limited-objective` | "
      "`dp-gd`, 100 steps | κ ln n steps | automatic clipping |\n|---|---|---|---|---|---|---|---|---|\n";
  std::vector<Plot> panels;
  for (const Side& side : {Side{"mu = 1", Gaussian{1}, mu}, Side{"epsilon = 4", Pure{4}, epsilon}}) {
    Series sample{.name = "posterior sample"}, output{.name = "noise on the minimiser"},
        objective{.name = "noise in the objective"};
    std::vector<std::pair<Descent, Series>> descents = {
        {Descent::hundred, {.name = "descent, 100 steps"}},
        {Descent::theorem, {.name = "descent, κ ln n steps"}},
        {Descent::automatic, {.name = "descent, automatic clipping"}}};
    for (const double kappa : {2.0, 4.0, 11.0, 31.0, 101.0}) {
      const double lambda = task.regularisation(kappa);
      const Mean a = measured("posterior-exact", side.budget, side.facts, lambda),
                 b = measured("limited-output", side.budget, side.facts, lambda);
      table += fmt::format("| {} | {:g} | {:.3g} ± {:.1g} | {:.3g} ± {:.1g} | {:.2g} |", side.title, kappa,
                           a.value, a.error, b.value, b.error, b.value / a.value);
      const auto add = [kappa](Series& series, const Mean& mean) {
        series.x.push_back(kappa), series.y.push_back(mean.value), series.spread.push_back(mean.error);
      };
      add(sample, a), add(output, b);
      const bool gaussian = std::holds_alternative<Gaussian>(side.budget);
      if (gaussian) {
        table += " not GDP |";
      } else {
        const Mean c = measured("limited-objective", side.budget, side.facts, lambda);
        table += fmt::format(" {:.3g} ± {:.1g} |", c.value, c.error);
        add(objective, c);
      }
      for (auto& [way, series] : descents) {
        if (!gaussian) {
          table += " not pure |";
          continue;
        }
        const Mean c = descended(way, 1, lambda);
        table += fmt::format(" {:.3g} ± {:.1g} |", c.value, c.error);
        add(series, c);
      }
      table += "\n";
    }
    panels.push_back({.title = "Uneven curvature, " + side.title,
                      .x_label = "mean condition number",
                      .y_label = "excess empirical risk, millionths",
                      .log_x = true,
                      .log_y = true,
                      .series = {sample, output}});
    if (!objective.x.empty()) panels.back().series.push_back(objective);
    for (const auto& [way, series] : descents)
      if (!series.x.empty()) panels.back().series.push_back(series);
  }
  publish(paths, "condition", table);
  publish(paths, "condition", panels[0], panels[1]);
}

}  // namespace experiment
