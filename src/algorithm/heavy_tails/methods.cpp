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

using namespace heavy_tails;

const Options& common_of(const Options& options) { return options; }
const Options& common_of(const auto& options) { return options.common; }

Options with_common(const Options&, const Options& common) { return common; }
template <class O>
O with_common(O options, const Options& common) {
  options.common = common;
  return options;
}

// A method of this folder: `run` on the problem, and `steps`, those it takes for a shape. Both see the
// options with limits that were given or chosen privately.
template <class O, Release (*run)(const Problem&, const O&, Meter&),
          std::vector<Step> (*steps)(const Shape&, const O&)>
Method row(std::string name, std::string summary, std::vector<OptionSpec> options) {
  return {.name = std::move(name),
          .notions = {"pure"},
          .unit = "item",
          .paper = "Lowy26",
          .summary = std::move(summary),
          .assumes = "nothing",
          .options = std::move(options),
          .unsuitable = needs_linear_model,
          .fit =
              [](const Problem& problem, const Facts& facts, Meter& meter) {
                const O asked = O::from(facts);
                return with_private_limits(
                    problem, common_of(asked), meter,
                    [&](const Problem& given, const Options& common, Meter& own) {
                      return run(given, with_common(asked, common), own);
                    },
                    [&](const Shape& shape, const Options& common) {
                      return steps(shape, with_common(asked, common));
                    });
              },
          .rebuild_steps =
              [](const Facts& facts, const Facts& assumed_public) {
                const O certified = O::from(facts);
                return rebuild_steps(facts, assumed_public, [&](const Shape& shape, const Options& common) {
                  return steps(shape, with_common(certified, common));
                });
              }};
}

std::vector<Step> limited_objective_steps(const Shape& shape, const ObjectiveOptions& options) {
  const ObjectivePlan plan = plan_limited_objective(shape, options);
  return {plan.perturbation, plan.erasure};
}

// With blocks the size of the rows is known: nothing is left to choose privately but what labels need, and
// what is fitted then, in other units, has no blocks.
Release fit_limited_objective(const Problem& problem, const Facts& facts, Meter& meter) {
  ObjectiveOptions asked = ObjectiveOptions::from(with_relation(facts, meter));
  if (!problem.blocks.empty() && !asked.common.row_norm_bound)
    asked.common.row_norm_bound = problem.blocks.l2_bound();
  return with_private_limits(
      problem, asked.common, meter,
      [&](const Problem& given, const Options& common, Meter& own) {
        return limited_objective(given, with_common(asked, common), own);
      },
      [&](Shape shape, const Options& common) {
        shape.blocks = {};
        return limited_objective_steps(shape, with_common(asked, common));
      });
}

std::vector<Step> rebuild_limited_objective(const Facts& facts, const Facts& assumed_public) {
  Facts all = facts;
  if (facts.has("neighbours") && parse_neighbours(facts.text("neighbours")) == Neighbours::add_remove)
    all.set("records", assumed_public.integer("records"));
  const ObjectiveOptions certified = ObjectiveOptions::from(all);
  const FeatureBlocks blocks =
      facts.has("feature_blocks") ? FeatureBlocks::parse(facts.text("feature_blocks")) : FeatureBlocks();
  return rebuild_steps(facts, assumed_public, [&](Shape shape, const Options& common) {
    shape.blocks = blocks;
    return limited_objective_steps(shape, with_common(certified, common));
  });
}

std::vector<Step> limited_output_steps(const Shape& shape, const Options& options) {
  return {plan_limited_output(shape, options).release};
}

std::vector<Step> double_output_steps(const Shape& shape, const Options& options) {
  const DoublePlan plan = plan_double_output(shape, options).noise;
  return {plan.localisation, plan.release};
}

std::vector<Step> localized_steps(const Shape& shape, const LocalizedOptions& options) {
  return {plan_localized(shape, options).release};
}

std::vector<Step> net_steps(const Shape& shape, const NetOptions& options) {
  return {plan_net_exponential(shape, options).choice};
}

std::vector<Step> cell_steps(const Shape& shape, const CellOptions& options) {
  const LocalizedExponentialPlan plan = plan_localized_exponential(shape, options);
  return {plan.first.release, plan.second};
}

}  // namespace

Method limited_objective_method() {
  Method method = row<ObjectiveOptions, limited_objective, limited_objective_steps>(
      "limited-objective",
      "objective perturbation of the slope- and curvature-limited loss; the default for pure epsilon",
      objective_option_specs());
  method.notions = {"pure", "approx"};
  method.neighbours = {Neighbours::replace_one, Neighbours::zero_out, Neighbours::add_remove};
  method.replaced_only = {"approx"};
  method.fit = fit_limited_objective;
  method.rebuild_steps = rebuild_limited_objective;
  return method;
}

Method limited_output_method() {
  Method method = row<Options, limited_output, limited_output_steps>(
      "limited-output",
      "isotropic Laplace or Gaussian noise on the certified minimiser of the slope-limited loss",
      option_specs());
  method.notions = {"pure", "gaussian", "approx"};
  return method;
}

Method double_output_method() {
  return row<Options, double_output, double_output_steps>(
      "double-output", "localised double output perturbation: the paper's own route, as a reference",
      extension_option_specs());
}

Method localized_method() {
  return row<LocalizedOptions, localized, localized_steps>(
      "localized", "population localisation: phases over disjoint records, each around the last one's point",
      localized_option_specs());
}

Method net_exponential_method() {
  return row<NetOptions, net_exponential, net_steps>(
      "net-exponential",
      "exponential mechanism with the projected-gradient score on a net, for few parameters",
      net_option_specs());
}

Method localized_exponential_method() {
  return row<CellOptions, localized_exponential, cell_steps>(
      "localized-exponential",
      "exponential mechanism on the points of a ball that noise found, for few parameters",
      cell_option_specs());
}

}  // namespace tacit::inline v1
