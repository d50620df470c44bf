#include "algorithm/posterior/asap.hpp"
#include "algorithm/posterior/parts.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::posterior {

const OptionTable<AsapOptions>& AsapOptions::table() {
  static const OptionTable<AsapOptions> table = {
      inherited<AsapOptions>(sampling_table())
          .retold("regularisation", "", "bias equal to noise at the radius"),
      within(static_cast<heavy_tails::Options AsapOptions::*>(&AsapOptions::limits),
             heavy_tails::relation_table()),
      field(&AsapOptions::localisation, "localisation", open(0, 1),
            "share of the budget that finds the ball to sample in"),
      field(&AsapOptions::perturbation, "perturbation", open(0, 1),
            "share of the budget for the noise that covers the chain's distance"),
      field(&AsapOptions::mala_steps, "mala-steps", between(1, 1e12),
            "steps of a chain, in place of the theorem's number; the certificate says so")
          .otherwise("as many as [Lin24, Thm 1] asks for with constant 1"),
      field(&AsapOptions::step_limit, "step-limit", between(1, 1e12),
            "refuse when the theorem asks for more steps"),
      planned("inverse_temperature"),
      planned("strength"),
      planned("ball"),
      planned("center_radius"),
      planned("distance"),
      planned("step_size"),
      planned("chain_steps")};
  return table;
}

void AsapOptions::validate() const {
  validate_sampling(*this);
  table().validate(*this);
  if (!(localisation + perturbation < 1))
    throw_error<UsageError>(
        "localisation is {} and perturbation {}, expected two shares > 0 with a sum below 1", localisation,
        perturbation);
}

Facts certified_options(const AsapPlan& plan, AsapOptions options) {
  options.limits = heavy_tails::settled(options.limits, plan.limits, plan.regularisation);
  Facts more;
  more.set("inverse_temperature", plan.inverse_temperature);
  more.set("strength", plan.strength);
  more.set("ball", plan.ball);
  more.set("center_radius", plan.center_radius);
  more.set("distance", plan.distance);
  more.set("step_size", plan.step_size);
  more.set("chain_steps", plan.steps);
  return AsapOptions::table().certified(options, more);
}

}  // namespace tacit::inline v1::posterior
