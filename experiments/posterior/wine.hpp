#pragma once

#include <Eigen/Cholesky>

#include "algorithm/clipping/dp_gd.hpp"
#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "algorithm/posterior/asap.hpp"
#include "algorithm/posterior/exact.hpp"
#include "common.hpp"
#include "condition.hpp"
#include "core/parallel.hpp"
#include "noise/samplers.hpp"
#include "tacit/data.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"
#include "theory.hpp"

// Wine Quality as in [Lin24, App. D.2]: standardised columns, ½(⟨x,θ⟩ − y)² + (α/2)‖θ‖², α = 100 (red) and 32
// (white). Excess empirical risk, summed over the records, against ε and against μ.

namespace experiment {

struct Wine {
  std::string name;
  double alpha = 0;
  Dataset data;
  Matrix hessian;  // of the whole objective
  Vector minimiser;
  LossLimits limits;  // that bind nowhere near the minimiser; taken to be public, as the paper's G is

  Problem problem() const { return {.data = &data, .loss = Link{LinkKind::squared, 0}, .intercept = 0}; }
  double records() const { return static_cast<double>(data.size()); }
  double dimensions() const { return static_cast<double>(minimiser.size()); }
  double excess(const Vector& theta) const {
    const Vector gap = theta - minimiser;
    return 0.5 * gap.dot(hessian * gap);
  }
};

inline void standardise(Eigen::Ref<Vector> column) {
  column.array() -= column.mean();
  column /= std::sqrt(column.squaredNorm() / static_cast<double>(column.size()));
}

inline Wine read_wine(const Paths& paths, const std::string& name, double alpha) {
  Wine wine{.name = name, .alpha = alpha};
  wine.data = read_dataset({.path = paths.data / ("wine_quality/winequality-" + name + ".csv"),
                            .target = "quality",
                            .wish = TargetWish::numeric})
                  .data;
  DenseRows rows = wine.data.features.dense_rows();
  const auto n = static_cast<Eigen::Index>(rows.rows), d = static_cast<Eigen::Index>(rows.columns);
  // A row of the data is a column of the transposed matrix.
  Eigen::Map<Matrix> transposed(rows.values.data(), d, n);
  for (Eigen::Index k = 0; k < d; ++k) {
    Vector column = transposed.row(k);
    standardise(column);
    transposed.row(k) = column;
  }
  Eigen::Map<Vector> labels(wine.data.labels.data(), n);
  standardise(labels);
  wine.hessian = transposed * transposed.transpose() + alpha * wine.records() * Matrix::Identity(d, d);
  wine.minimiser = wine.hessian.ldlt().solve(transposed * labels);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double norm = transposed.col(i).norm();
    wine.limits.slope = std::max(wine.limits.slope, 1.1 * norm * std::fabs(labels[i]));
    wine.limits.curvature = std::max(wine.limits.curvature, norm * norm);
  }
  wine.data.features = Features(std::move(rows));
  return wine;
}

using Fit = std::function<Vector(const Wine&, double size, Meter&)>;

struct Way {
  std::string name;
  Fit fit;
  std::size_t draws = 50;
};

inline heavy_tails::Options limits_of(const Wine& wine) {
  return {.slope_limit = wine.limits.slope,
          .curvature_limit = wine.limits.curvature,
          .regularisation = wine.alpha,
          .radius = 1,
          .threads = 1};
}

inline constexpr std::int64_t chain_steps = 2000;

inline Vector exact(const Wine& wine, const Guarantee& budget, Meter& meter) {
  return posterior::exact(wine.problem(), exact_options(limits_of(wine), budget), meter).parameters.value();
}

inline Vector chain(const Wine& wine, const Guarantee& budget, Meter& meter) {
  return posterior::asap(wine.problem(), chain_options(limits_of(wine), budget, chain_steps), meter)
      .parameters.value();
}

// θ* + noise: Laplace of scale √d·Δ/ε on each coordinate, or Gaussian, Δ = 2C/(nα) [Lin24, Alg. 4].
inline Vector papers_output(const Wine& wine, double size, bool pure, Meter& meter) {
  const double shift = 2 * wine.limits.slope / (wine.records() * wine.alpha);
  const double scale = pure ? std::sqrt(wine.dimensions()) * shift / size : shift / size;
  Vector out(wine.minimiser.size());
  const auto count = static_cast<std::size_t>(out.size());
  const auto add = pure ? static_cast<void (*)(std::span<const double>, double, const noise::Lattice&,
                                               BitSource&, std::span<double>)>(noise::add_laplace)
                        : noise::add_gaussian;
  add({wine.minimiser.data(), count}, scale, noise::lattice_for(scale, 1), meter.bits(), {out.data(), count});
  return out;
}

// Descent over all records at the rate 1/smoothness.
inline Vector descent(const Wine& wine, double mu, std::int64_t steps, double smoothness, Meter& meter) {
  const double clip_norm = wine.limits.slope;
  return clipping::dp_gd(wine.problem(),
                         {.target = Gaussian{mu},
                          .clip_norm = clip_norm,
                          .steps = steps,
                          .step_length = clip_norm / smoothness,
                          .regularisation = wine.alpha,
                          .iterate = clipping::Iterate::last,
                          .threads = 1},
                         meter)
      .parameters.value();
}

// Two steps, which here leave a bias far below the noise: no eigenvalue of the data's part is above 4.
inline Vector two_steps(const Wine& wine, double mu, Meter& meter) {
  return descent(wine, mu, 2, wine.alpha + 4, meter);
}

// The theorem's schedule: κ ln n steps, with the smoothness that public limits give.
inline Vector theorem_descent(const Wine& wine, double mu, Meter& meter) {
  const double smoothness = wine.alpha + wine.limits.curvature;
  return descent(wine, mu, theorem_steps(smoothness, wine.alpha, wine.records()), smoothness, meter);
}

// With automatic clipping, as the paper compares with: the regulariser is a part of every record's loss.
inline Vector automatic_descent(const Wine& wine, double mu, double step, Meter& meter) {
  return clipping::dp_gd(wine.problem(),
                         {.target = Gaussian{mu},
                          .steps = 20,
                          .step_length = step,
                          .regularisation = wine.alpha,
                          .iterate = clipping::Iterate::last,
                          .threads = 1},
                         meter)
      .parameters.value();
}

inline Vector with_epsilon(Release (*method)(const Problem&, const heavy_tails::Options&, Meter&),
                           const Wine& wine, double epsilon, Meter& meter) {
  heavy_tails::Options options = limits_of(wine);
  options.epsilon = epsilon;
  return method(wine.problem(), options, meter).parameters.value();
}

inline std::vector<Way> pure_ways() {
  return {
      {"output, per coordinate",
       [](const Wine& wine, double e, Meter& m) { return papers_output(wine, e, true, m); }},
      {"output, isotropic", [](const Wine& wine, double e,
                               Meter& m) { return with_epsilon(heavy_tails::limited_output, wine, e, m); }},
      {"objective perturbation",
       [](const Wine& wine, double e, Meter& m) {
         const auto objective = [](const Problem& problem, const heavy_tails::Options& options, Meter& own) {
           return heavy_tails::limited_objective(problem, {.common = options}, own);
         };
         return with_epsilon(objective, wine, e, m);
       }},
      {"MALA + ASAP", [](const Wine& wine, double e, Meter& m) { return chain(wine, Pure{e}, m); }, 10},
      {"exact posterior", [](const Wine& wine, double e, Meter& m) { return exact(wine, Pure{e}, m); }, 20}};
}

inline std::vector<Way> gaussian_ways() {
  return {
      {"output, Gaussian",
       [](const Wine& wine, double mu, Meter& m) { return papers_output(wine, mu, false, m); }},
      {"DP-GD, 2 steps", two_steps},
      {"DP-GD, κ ln n steps", theorem_descent},
      {"DP-GD, automatic clipping", {}},
      {"MALA + ASAP", [](const Wine& wine, double mu, Meter& m) { return chain(wine, Gaussian{mu}, m); }, 10},
      {"exact posterior", [](const Wine& wine, double mu, Meter& m) { return exact(wine, Gaussian{mu}, m); },
       50}};
}

inline Mean excess_of(const Wine& wine, const Fit& fit, std::size_t draws, const Guarantee& budget,
                      double size) {
  std::vector<double> found;
  for (std::size_t k = 0; k < draws; ++k) {
    const auto bits = noise::system_bits();
    RootMeter meter({budget, Unit::item, Neighbours::replace_one}, *bits);
    found.push_back(wine.excess(fit(wine, size, meter)));
  }
  return mean_of(found);
}

// A way without a fit is descent with automatic clipping: the best of five step lengths, by runs that are not
// counted.
inline Mean mean_excess(const Wine& wine, const Way& way, const Guarantee& budget, double size) {
  if (way.fit) return excess_of(wine, way.fit, way.draws, budget, size);
  const auto with = [](double step) {
    return [step](const Wine& of, double mu, Meter& meter) { return automatic_descent(of, mu, step, meter); };
  };
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (const double step : {1e-4, 1e-3, 3e-3, 1e-2, 3e-2}) {
    const double found = excess_of(wine, with(step), 10, budget, size).value;
    if (found < least) least = found, best = step;
  }
  return excess_of(wine, with(best), way.draws, budget, size);
}

inline const std::vector<double>& sizes() {
  static const std::vector<double> values = {0.1, 0.3, 1, 3, 10};
  return values;
}

inline Plot panel(const Wine& wine, const std::string& symbol, const std::vector<Way>& ways, bool pure,
                  std::string& table) {
  Plot plot{.title = fmt::format("Wine {}: n = {}, α = {}", wine.name, wine.data.size(), wine.alpha),
            .x_label = symbol,
            .y_label = "excess empirical risk (sum over records)",
            .log_x = true,
            .log_y = true};
  table += fmt::format("\n| Wine {}, {} = |", wine.name, symbol);
  for (const double size : sizes()) table += fmt::format(" {:g} |", size);
  table += "\n|---|" + std::string("---|---|---|---|---|\n");
  const auto add = [&](Series series) {
    table += "| " + series.name + " |";
    for (std::size_t k = 0; k < series.y.size(); ++k)
      table += series.spread.empty() ? fmt::format(" {:.2e} |", series.y[k])
                                     : fmt::format(" {:.2e} ± {:.0e} |", series.y[k], series.spread[k]);
    table += "\n";
    plot.series.push_back(std::move(series));
  };
  for (const Way& way : ways) {
    Series series{.name = way.name, .x = sizes()};
    for (const double size : sizes()) {
      const Mean found =
          mean_excess(wine, way, pure ? Guarantee(Pure{size}) : Guarantee(Gaussian{size}), size);
      series.y.push_back(found.value), series.spread.push_back(found.error);
    }
    add(std::move(series));
  }
  const Rates rates{wine.dimensions(), wine.limits.slope, wine.alpha, wine.records()};
  Series bound{.name = pure ? "d²G²/(αnε²) (Table 1)" : "dG²/(αnμ²) (Table 1)", .x = sizes(), .dashed = true};
  for (const double size : sizes()) bound.y.push_back(pure ? rates.pure(size) : rates.gaussian(size));
  add(std::move(bound));
  return plot;
}

inline void wine(const Paths& paths) {
  std::string table;
  for (const auto& [name, alpha] : {std::pair("red", 100.0), std::pair("white", 32.0)}) {
    const Wine wine = read_wine(paths, name, alpha);
    const Plot left = panel(wine, "ε", pure_ways(), true, table);
    const Plot right = panel(wine, "μ", gaussian_ways(), false, table);
    publish(paths, fmt::format("wine_{}", name), left, right);
  }
  publish(paths, "wine", table.substr(1));
}

}  // namespace experiment
