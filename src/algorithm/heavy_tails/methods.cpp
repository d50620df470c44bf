#include "../rows.hpp"
#include "tacit/algorithm/heavy_tails/double_output.hpp"
#include "tacit/algorithm/heavy_tails/limited_objective.hpp"
#include "tacit/algorithm/heavy_tails/limited_output.hpp"
#include "tacit/algorithm/heavy_tails/localized.hpp"
#include "tacit/algorithm/heavy_tails/localized_exponential.hpp"
#include "tacit/algorithm/heavy_tails/net_exponential.hpp"
#include "tacit/algorithm/heavy_tails/private_limits.hpp"

namespace tacit::inline v1 {

namespace {

heavy_tails::NetOptions with_common(heavy_tails::NetOptions options, const heavy_tails::Options& common) {
  options.common = common;
  return options;
}

heavy_tails::PlanSteps steps_of(const heavy_tails::NetOptions& options) {
  return [options](const Shape& shape, const heavy_tails::Options& common) {
    return std::vector<Step>{heavy_tails::plan_net_exponential(shape, with_common(options, common)).choice};
  };
}

heavy_tails::PlanSteps steps_of(const heavy_tails::CellOptions& options) {
  return [options](const Shape& shape, const heavy_tails::Options& common) {
    const auto plan = heavy_tails::plan_localized_exponential(shape, {common, options.cells});
    return std::vector<Step>{plan.first.release, plan.second};
  };
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
          .unsuitable = needs_linear_model,
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
          .unsuitable = needs_linear_model,
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
          .unsuitable = needs_linear_model,
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

Method localized_method() {
  return {
      .name = "localized",
      .notions = {"pure"},
      .unit = "item",
      .paper = "Lowy26",
      .summary = "population localisation: phases over disjoint records, each around the last one's point",
      .assumes = "nothing",
      .options = heavy_tails::localized_option_specs(),
      .unsuitable = needs_linear_model,
      .fit =
          [](const Problem& problem, const Facts& facts, Meter& meter) {
            const auto options = heavy_tails::LocalizedOptions::from(facts);
            return heavy_tails::with_private_limits(
                problem, options.common, meter,
                [&](const Problem& given, const heavy_tails::Options& common, Meter& own) {
                  return heavy_tails::localized(given, {common, options.failure, options.solver}, own);
                });
          },
      .rebuild_steps =
          [](const Facts& facts, const Facts& assumed_public) {
            const auto options = heavy_tails::LocalizedOptions::from(facts);
            return heavy_tails::rebuild_steps(
                facts, assumed_public, [&](const Shape& shape, const heavy_tails::Options& common) {
                  return std::vector<Step>{
                      heavy_tails::plan_localized(shape, {common, options.failure, options.solver}).release};
                });
          }};
}

Method net_exponential_method() {
  return {.name = "net-exponential",
          .notions = {"pure"},
          .unit = "item",
          .paper = "Lowy26",
          .summary = "exponential mechanism with the projected-gradient score on a net, for few parameters",
          .assumes = "nothing",
          .options = heavy_tails::net_option_specs(),
          .unsuitable = needs_linear_model,
          .fit =
              [](const Problem& problem, const Facts& facts, Meter& meter) {
                const auto options = heavy_tails::NetOptions::from(facts);
                return heavy_tails::with_private_limits(
                    problem, options.common, meter,
                    [&](const Problem& given, const heavy_tails::Options& common, Meter& own) {
                      return heavy_tails::net_exponential(given, with_common(options, common), own);
                    },
                    steps_of(options));
              },
          .rebuild_steps =
              [](const Facts& facts, const Facts& assumed_public) {
                const auto options = heavy_tails::NetOptions::from(facts);
                return heavy_tails::rebuild_steps(facts, assumed_public, steps_of(options));
              }};
}

Method localized_exponential_method() {
  return {.name = "localized-exponential",
          .notions = {"pure"},
          .unit = "item",
          .paper = "Lowy26",
          .summary = "exponential mechanism on the points of a ball that noise found, for few parameters",
          .assumes = "nothing",
          .options = heavy_tails::cell_option_specs(),
          .unsuitable = needs_linear_model,
          .fit =
              [](const Problem& problem, const Facts& facts, Meter& meter) {
                const auto options = heavy_tails::CellOptions::from(facts);
                return heavy_tails::with_private_limits(
                    problem, options.common, meter,
                    [&](const Problem& given, const heavy_tails::Options& common, Meter& own) {
                      return heavy_tails::localized_exponential(given, {common, options.cells}, own);
                    },
                    steps_of(options));
              },
          .rebuild_steps =
              [](const Facts& facts, const Facts& assumed_public) {
                const auto options = heavy_tails::CellOptions::from(facts);
                return heavy_tails::rebuild_steps(facts, assumed_public, steps_of(options));
              }};
}

}  // namespace tacit::inline v1
