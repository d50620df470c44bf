#include "algorithm/heavy_tails/double_output.hpp"
#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "algorithm/heavy_tails/localized.hpp"
#include "algorithm/heavy_tails/localized_exponential.hpp"
#include "algorithm/heavy_tails/net_exponential.hpp"
#include "algorithm/heavy_tails/private_limits.hpp"
#include "algorithm/rows.hpp"

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

// A method of this folder: `run` on the problem, and for a shape the `steps` it takes and the `facts` it
// states. All see the options with limits that were given or chosen privately.
template <class O, Release (*run)(const Problem&, const O&, Meter&),
          std::vector<Step> (*steps)(const Shape&, const O&), Facts (*facts)(const Shape&, const O&)>
Method row(std::string name, std::string summary, const OptionTable<O>& table) {
  return with_options(
      {.name = std::move(name),
       .notions = {Notion::pure},
       .unit = Unit::item,
       .paper = "Lowy26",
       .summary = std::move(summary),
       .assumes = "nothing",
       // A zero loss is convex, and its slope and curvature are within the limits.
       .covers_null = with_any_options,
       .label_map = label_map,
       .as_released = as_released,
       .unsuitable = needs_linear_model,
       .fit =
           [](const Problem& problem, const Facts& given, Meter& meter) {
             const O asked = O::from(with_relation(given, meter));
             return with_private_limits(
                 problem, common_of(asked), meter,
                 [&](const Problem& fitted, const Options& common, Meter& own) {
                   return run(fitted, with_common(asked, common), own);
                 },
                 [&](const Shape& shape, const Options& common) {
                   return steps(shape, with_common(asked, common));
                 });
           },
       .rebuild_steps =
           [](const Facts& stated, const Facts& assumed_public) {
             const Facts asked = asked_of(stated, assumed_public);
             const O certified = O::from(asked);
             return rebuild_steps(asked, assumed_public, [&](const Shape& shape, const Options& common) {
               return steps(shape, with_common(certified, common));
             });
           },
       .rebuild_options =
           [](const Facts& stated, const Facts& assumed_public) {
             const Facts asked = asked_of(stated, assumed_public);
             const O certified = O::from(asked);
             return as_stated(rebuild_options(asked, assumed_public,
                                              [&](const Shape& shape, const Options& common) {
                                                return facts(shape, with_common(certified, common));
                                              }),
                              stated);
           }},
      table);
}

std::vector<Step> limited_objective_steps(const Shape& shape, const ObjectiveOptions& options) {
  const ObjectivePlan plan = plan_limited_objective(shape, options);
  return {plan.perturbation, plan.cover};
}

// With the number of records that is stated, where one is: under add_remove no other is public.
Shape counted_shape(const Problem& problem, const ObjectiveOptions& options) {
  Shape shape = shape_of(problem);
  if (options.common.records) shape.records = static_cast<std::size_t>(*options.common.records);
  return shape;
}

// With blocks the size of the rows is known: nothing is left to choose privately but what labels need, and
// what is fitted then, in other units, has no blocks.
Release fit_limited_objective(const Problem& problem, const Facts& facts, Meter& meter) {
  ObjectiveOptions asked = ObjectiveOptions::from(with_relation(facts, meter));
  if (!problem.blocks.empty() && !asked.common.row_norm_bound)
    asked.common.row_norm_bound = problem.blocks.l2_bound();
  if (!problem.blocks.empty() && !facts.has("radius"))
    asked.common.radius = radius_for_blocks(counted_shape(problem, asked), asked.common.epsilon);
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

// What a certificate says of a run: its options, and the blocks of its features.
struct StatedObjective {
  ObjectiveOptions options;
  FeatureBlocks blocks;
};
StatedObjective stated_objective(const Facts& facts) {
  return {ObjectiveOptions::from(facts),
          facts.has("feature_blocks") ? FeatureBlocks::parse(facts.text("feature_blocks")) : FeatureBlocks()};
}

// A certificate states the radius; a plan that is told beforehand finds it as the fit will.
Facts with_radius(Facts facts, const Facts& assumed_public) {
  if (facts.has("radius") || !facts.has("feature_blocks")) return facts;
  Shape shape = shape_from(assumed_public);
  shape.blocks = FeatureBlocks::parse(facts.text("feature_blocks"));
  facts.set("radius", radius_for_blocks(shape, facts.number("epsilon")));
  return facts;
}

std::vector<Step> rebuild_limited_objective(const Facts& recorded, const Facts& assumed_public) {
  const Facts facts = with_radius(asked_of(recorded, assumed_public), assumed_public);
  const StatedObjective stated = stated_objective(facts);
  return rebuild_steps(facts, assumed_public, [&](Shape shape, const Options& common) {
    shape.blocks = stated.blocks;
    return limited_objective_steps(shape, with_common(stated.options, common));
  });
}

Facts limited_objective_facts(const Shape& shape, const ObjectiveOptions& options) {
  return certified_options(plan_limited_objective(shape, options), options);
}

Facts restate_limited_objective(const Facts& recorded, const Facts& assumed_public) {
  const Facts facts = with_radius(asked_of(recorded, assumed_public), assumed_public);
  const StatedObjective stated = stated_objective(facts);
  const Facts rebuilt = rebuild_options(facts, assumed_public, [&](Shape shape, const Options& common) {
    shape.blocks = stated.blocks;
    return limited_objective_facts(shape, with_common(stated.options, common));
  });
  return as_stated(rebuilt, recorded);
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

std::vector<Step> net_steps(const Shape& shape, const Options& options) {
  return {plan_net_exponential(shape, options).choice};
}

std::vector<Step> cell_steps(const Shape& shape, const CellOptions& options) {
  const LocalizedExponentialPlan plan = plan_localized_exponential(shape, options);
  return {plan.first.release, plan.second};
}

Facts limited_output_facts(const Shape& shape, const Options& options) {
  return certified_options(plan_limited_output(shape, options), options);
}
Facts double_output_facts(const Shape& shape, const Options& options) {
  return certified_options(plan_double_output(shape, options), options);
}
Facts localized_facts(const Shape& shape, const LocalizedOptions& options) {
  return certified_options(plan_localized(shape, options), options);
}
Facts net_facts(const Shape& shape, const Options& options) {
  return certified_options(plan_net_exponential(shape, options), options);
}
Facts cell_facts(const Shape& shape, const CellOptions& options) {
  return certified_options(plan_localized_exponential(shape, options), options);
}

// All three relations, the usual one first, as those whose proofs are about one record's gradient have. A
// weight makes that gradient no longer.
Method for_presence(Method method) {
  method.neighbours = {Neighbours::zero_out, Neighbours::replace_one, Neighbours::add_remove};
  method.weighs = true;
  method.assumptions = [](const Facts& options, const Facts& assumed_public) {
    return count_assumptions(relation_of(options),
                             static_cast<std::size_t>(assumed_public.integer("records")));
  };
  return method;
}

// Those that divide by the number of records, or keep a place for each: it is public, and a null record keeps
// its place.
Method for_places(Method method) {
  method.neighbours = {Neighbours::zero_out, Neighbours::replace_one};
  return method;
}

// Which choose from a net, exponentially large in the number of parameters.
Method on_a_net(Method method, bool (*when)(const Facts& options)) {
  method.needs_few_parameters = when;
  return method;
}

// Whose sums all know of shards.
Method in_shards(Method method) {
  method.sharded = true;
  return method;
}

}  // namespace

Method limited_objective_method() {
  Method method = row<ObjectiveOptions, limited_objective, limited_objective_steps, limited_objective_facts>(
      "limited-objective",
      "objective perturbation of the slope- and curvature-limited loss; the default for pure epsilon",
      ObjectiveOptions::table());
  method.notions = {Notion::pure, Notion::approx};
  method.noise = NoiseEntry::objective;
  method.fit = fit_limited_objective;
  method.rebuild_steps = rebuild_limited_objective;
  method.rebuild_options = restate_limited_objective;
  return in_shards(for_presence(std::move(method)));
}

Method limited_output_method() {
  Method method = row<Options, limited_output, limited_output_steps, limited_output_facts>(
      "limited-output",
      "isotropic Laplace or Gaussian noise on the certified minimiser of the slope-limited loss",
      limited_output_table());
  method.notions = {Notion::pure, Notion::gaussian, Notion::approx};
  method.noise = NoiseEntry::parameters;
  return in_shards(for_presence(std::move(method)));
}

Method double_output_method() {
  return in_shards(for_places(row<Options, double_output, double_output_steps, double_output_facts>(
      "double-output", "localised double output perturbation: the paper's own route, as a reference",
      double_output_table())));
}

Method localized_method() {
  Method method = row<LocalizedOptions, localized, localized_steps, localized_facts>(
      "localized", "population localisation: phases over disjoint records, each around the last one's point",
      LocalizedOptions::table());
  return in_shards(for_places(on_a_net(std::move(method), [](const Facts& options) {
    return options.has("solver") && options.text("solver") == "net-exponential";
  })));
}

Method net_exponential_method() {
  Method method = row<Options, net_exponential, net_steps, net_facts>(
      "net-exponential",
      "exponential mechanism with the projected-gradient score on a net, for few parameters",
      net_exponential_table());
  return in_shards(for_places(on_a_net(std::move(method), with_any_options)));
}

Method localized_exponential_method() {
  Method method = row<CellOptions, localized_exponential, cell_steps, cell_facts>(
      "localized-exponential",
      "exponential mechanism on the points of a ball that noise found, for few parameters",
      CellOptions::table());
  return in_shards(for_places(on_a_net(std::move(method), with_any_options)));
}

}  // namespace tacit::inline v1
