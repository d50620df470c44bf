#pragma once

#include "common.hpp"
#include "experiments/support/goldstein.hpp"
#include "experiments/support/lasry_lions.hpp"

namespace nonconvex_runs {

struct Example {
  std::string name;
  Eigen::Index dimension;
  nonconvex::Function h;
  audit::GradientField gradient;
  double lipschitz, lambda;
  nonconvex::SearchOptions search;
};

// Both have kinks that point up and kinks that point down.
inline std::vector<Example> examples() {
  const auto sign = [](double x) { return x > 0 ? 1.0 : -1.0; };
  return {{"abs(abs(x) - 1)",
           1,
           [](const Vector& x) { return std::fabs(std::fabs(x[0]) - 1); },
           [sign](const Vector& x, Vector& g) { g = Vector{{sign(std::fabs(x[0]) - 1) * sign(x[0])}}; },
           1,
           0.2,
           {.points = 101, .zooms = 20}},
          {"abs(abs(x) - abs(y))",
           2,
           [](const Vector& x) { return std::fabs(std::fabs(x[0]) - std::fabs(x[1])); },
           [sign](const Vector& x, Vector& g) {
             const double s = sign(std::fabs(x[0]) - std::fabs(x[1]));
             g = Vector{{s * sign(x[0]), -s * sign(x[1])}};
           },
           std::sqrt(2.0),
           0.2,
           {.points = 25, .zooms = 16}}};
}

// Fact C.2 and Lemma C.3 on a grid of points.
inline void lasry_lions(const Flags& flags) {
  std::string table =
      "| function | largest h − h̃, in L²λ | least | largest curvature, in 1/λ | largest gradient, in L | "
      "Goldstein norm "
      "at 3λL over gradient of h̃, largest |\n|---|---|---|---|---|---|\n";
  Plot plot{
      .title = "Lasry-Lions smoothing of abs(abs(x) - 1), lambda = 0.2", .x_label = "x", .y_label = "value"};
  for (const Example& example : examples()) {
    double most = -INFINITY, least = INFINITY, curvature = 0, steepest = 0, ratio = 0;
    Series exact{.name = "h", .dashed = true}, smooth{.name = "smoothed"};
    const int across = example.dimension == 1 ? 60 : 5;
    const auto cells = example.dimension == 1 ? across + 1 : (across + 1) * (across + 1);
    const double l = example.lipschitz, lambda = example.lambda;
    for (int cell = 0; cell < cells; ++cell) {
      Vector x(example.dimension);
      x[0] = -1.9 + 3.8 * (cell % (across + 1)) / across + 0.0137;
      if (example.dimension == 2) x[1] = -1.9 + 3.8 * (cell / (across + 1)) / across + 0.0071;
      const nonconvex::SmoothedPoint at = nonconvex::lasry_lions(example.h, x, lambda, l, example.search);
      const double lost = (example.h(x) - at.value) / (l * l * lambda);
      most = std::max(most, lost);
      least = std::min(least, lost);
      steepest = std::max(steepest, at.gradient.norm() / l);
      for (Eigen::Index k = 0; k < x.size(); ++k) {
        Vector near = x;
        near[k] += 0.25 * lambda;
        const Vector there = nonconvex::lasry_lions(example.h, near, lambda, l, example.search).gradient;
        curvature = std::max(curvature, (there - at.gradient).norm() / (0.25 * lambda) * lambda);
      }
      if (at.gradient.norm() > 0.02 * l)
        ratio = std::max(
            ratio, audit::goldstein_norm(example.gradient, x, 3 * lambda * l, {.samples = 400}).upper_bound /
                       at.gradient.norm());
      if (example.dimension == 1) {
        exact.x.push_back(x[0]), smooth.x.push_back(x[0]);
        exact.y.push_back(example.h(x)), smooth.y.push_back(at.value);
      }
    }
    if (example.dimension == 1) plot.series = {exact, smooth};
    table += fmt::format("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", example.name, most, least,
                         curvature, steepest, ratio);
  }
  write(flags, "lasry_lions", table, &plot);
}

}  // namespace nonconvex_runs
