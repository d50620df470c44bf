#pragma once

#include "solver/certified.hpp"
#include "solver/link_loss.hpp"
#include "solver/structured.hpp"
#include "synthetic.hpp"

namespace experiment {

struct IterationCase {
  std::string name;
  Dataset data;
  double slope, gradient_bound, regularisation, radius;  // C, A, λ, R
};

inline std::string iteration_line(const IterationCase& one) {
  const Problem problem{.data = &one.data, .loss = Link{LinkKind::absolute, 0}, .intercept = 0};
  const Shape shape = shape_of(problem);
  const double m = static_cast<double>(shape.records), c = one.slope, lambda = one.regularisation;
  const double accuracy = c * c / (72 * lambda * m * m), diameter = 2 * one.radius;
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape.features));
  const ExtensionSetting setting{
      .lipschitz = c, .regularisation = lambda, .center = zero, .domain = Ball{zero, one.radius}};
  const LossSizes sizes{shape.records, shape.features, one.gradient_bound,
                        LinkLoss::error(shape, one.gradient_bound, one.radius)};
  // (3·D√(m+1)·(A + 2C + λD)/α)² [Lowy26, App. D.1], and (4D(2C + λD)/α)² [Lemma D.5]
  const double pull = 2 * c + lambda * diameter;
  const double paper = std::pow(3 * diameter * std::sqrt(m + 1) * (one.gradient_bound + pull) / accuracy, 2);
  const double structured = std::pow(4 * diameter * pull / accuracy, 2);
  const double ours = subgradient_iterations(setting, sizes, accuracy).iterations;
  std::string took = "–";
  if (ours * m < 1e9) {
    const LinkLoss loss(problem, one.gradient_bound, one.radius);
    took = fmt::format("{:.2g}", static_cast<double>(minimise_extension(setting, loss, accuracy).iterations));
  }
  LimitedObjective objective(problem, {.slope = c, .curvature = 4 * c * c},
                             {.strength = m * lambda, .center = zero}, zero, 0, 1);
  return fmt::format("| {} | {} | {:.2g} | {:.2g} | {} | {:.2g} | {:.2g} | {} |\n", one.name, shape.records,
                     paper, ours, took, structured,
                     structured_iterations(setting, sizes, accuracy).iterations,
                     minimise(objective, {}).newton_steps);
}

// Iterations for the second release's certified accuracy, α = C²/(72λn²), on the same data: what the theory
// needs, what Algorithm 3 took where that is affordable, and what Newton's method takes.
inline void iterations(const Paths& paths) {
  std::string table =
      "| data | n | Alg. 3, the paper's bound | our bound | it took | App. D.3, the paper's bound | our "
      "route takes | "
      "Newton steps |\n|---|---|---|---|---|---|---|---|\n";
  const HeavyTailed law;
  for (const std::size_t n : {4u, 10u, 20u}) {
    Dataset data = law.sample(n, 42 + n);
    DenseRows rows = data.features.dense_rows();
    for (std::size_t i = 0; i < n; ++i)
      Eigen::Map<Vector>(rows.values.data() + i * law.d, static_cast<Eigen::Index>(law.d)).normalize();
    data.features = Features(std::move(rows));
    table += iteration_line({"unit rows, A = C, λ = C/50R", data, 1, 1, 0.02, 1});
  }
  const double s = law.median_norm(), d = static_cast<double>(law.d), radius = 2, c = 2 * s;
  for (const std::size_t n : {10u, 100u, 1000u, 10000u, 100000u}) {
    const double lambda = c / radius * std::sqrt(2 * d / static_cast<double>(n));
    table += iteration_line({"Student t rows, A = C√(10d/ε), λ by rule", law.sample(n, 42 + n), c,
                             c * std::sqrt(10 * d), lambda, radius});
  }
  publish(paths, "iterations", table);
}

}  // namespace experiment
