#include "../rows.hpp"
#include "tacit/algorithm/heavy_tails/limited_objective.hpp"
#include "tacit/algorithm/heavy_tails/limited_output.hpp"

namespace tacit::inline v1 {

namespace {

// Facts of a certificate as the options that produced it.
heavy_tails::Options certified_options(const Facts& options, const Facts& assumed_public) {
  Facts all = options;
  for (const auto& [key, value] : assumed_public.entries())
    if (key == "row_norm_bound" || key == "label_bound") all.set(key, value);
  return heavy_tails::Options::from(all);
}

}  // namespace

Method limited_objective_method() {
  return {.name = "limited-objective",
          .notions = {"pure"},
          .unit = "item",
          .paper = "Lowy26",
          .summary =
              "objective perturbation of the slope- and curvature-limited loss; the default for pure epsilon",
          .assumes = "nothing",
          .options = heavy_tails::option_specs(),
          .unsuitable = [](const Shape&) { return std::string(); },
          .fit =
              [](const Problem& problem, const Facts& options, Meter& meter) {
                return heavy_tails::limited_objective(problem, heavy_tails::Options::from(options), meter);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                const auto plan = heavy_tails::plan_limited_objective(
                    heavy_tails::shape_from(assumed_public), certified_options(options, assumed_public));
                return std::vector<Step>{plan.perturbation, plan.erasure};
              }};
}

Method limited_output_method() {
  return {.name = "limited-output",
          .notions = {"pure"},
          .unit = "item",
          .paper = "Lowy26",
          .summary = "isotropic Laplace noise on the certified minimiser of the slope-limited loss",
          .assumes = "nothing",
          .options = heavy_tails::option_specs(),
          .unsuitable = [](const Shape&) { return std::string(); },
          .fit =
              [](const Problem& problem, const Facts& options, Meter& meter) {
                return heavy_tails::limited_output(problem, heavy_tails::Options::from(options), meter);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                const auto plan = heavy_tails::plan_limited_output(
                    heavy_tails::shape_from(assumed_public), certified_options(options, assumed_public));
                return std::vector<Step>{plan.release};
              }};
}

}  // namespace tacit::inline v1
