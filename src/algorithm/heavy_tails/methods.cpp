#include "../rows.hpp"
#include "tacit/algorithm/heavy_tails/double_output.hpp"
#include "tacit/algorithm/heavy_tails/limited_objective.hpp"
#include "tacit/algorithm/heavy_tails/limited_output.hpp"
#include "tacit/algorithm/heavy_tails/private_limits.hpp"

namespace tacit::inline v1 {

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
                return heavy_tails::with_private_limits(problem, heavy_tails::Options::from(options), meter,
                                                        heavy_tails::limited_objective);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                return heavy_tails::rebuild_steps(
                    options, assumed_public, [](const Shape& shape, const heavy_tails::Options& given) {
                      const auto plan = heavy_tails::plan_limited_objective(shape, given);
                      return std::vector<Step>{plan.perturbation, plan.erasure};
                    });
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
                return heavy_tails::with_private_limits(problem, heavy_tails::Options::from(options), meter,
                                                        heavy_tails::limited_output);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                return heavy_tails::rebuild_steps(
                    options, assumed_public, [](const Shape& shape, const heavy_tails::Options& given) {
                      return std::vector<Step>{heavy_tails::plan_limited_output(shape, given).release};
                    });
              }};
}

Method double_output_method() {
  return {.name = "double-output",
          .notions = {"pure"},
          .unit = "item",
          .paper = "Lowy26",
          .summary = "localised double output perturbation: the paper's own route, as a reference",
          .assumes = "nothing",
          .options = heavy_tails::extension_option_specs(),
          .unsuitable = [](const Shape&) { return std::string(); },
          .fit =
              [](const Problem& problem, const Facts& options, Meter& meter) {
                return heavy_tails::with_private_limits(problem, heavy_tails::Options::from(options), meter,
                                                        heavy_tails::double_output);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                return heavy_tails::rebuild_steps(
                    options, assumed_public, [](const Shape& shape, const heavy_tails::Options& given) {
                      const auto plan = heavy_tails::plan_double_output(shape, given).noise;
                      return std::vector<Step>{plan.localisation, plan.release};
                    });
              }};
}

}  // namespace tacit::inline v1
