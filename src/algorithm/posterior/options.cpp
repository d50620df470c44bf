#include "algorithm/posterior/exact.hpp"
#include "algorithm/posterior/parts.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::posterior {

const OptionTable<Options>& Options::table() {
  static const OptionTable<Options> table = {
      inherited<Options>(sampling_table())
          .retold("regularisation", "",
                  "bias equal to noise at the radius, and a predicted acceptance of 0.001"),
      within(static_cast<heavy_tails::Options Options::*>(&Options::limits), heavy_tails::relation_table()),
      field(&Options::localisation, "localisation", between(0, 1),
            "share of the budget that finds the ball to sample in")
          .otherwise("0.5 for epsilon, 0 (no ball) for mu"),
      field(&Options::least_acceptance, "least-acceptance", open(0, 1),
            "refuse below this predicted acceptance"),
      planned("inverse_temperature"),
      planned("strength"),
      planned("ball"),
      planned("predicted_acceptance")};
  return table;
}

void Options::validate() const {
  validate_sampling(*this);
  table().validate(*this);
  const bool pure = is_pure(budget);
  if (localisation && !((pure ? *localisation > 0 : *localisation >= 0) && *localisation < 1))
    throw_error<UsageError>("localisation is {}, expected a share of the budget {} 0 and < 1", *localisation,
                            pure ? ">" : ">=");
}

Facts certified_options(const ExactPlan& plan, Options options) {
  options.limits = heavy_tails::settled(options.limits, plan.limits, plan.regularisation);
  options.localisation = plan.share;
  Facts more;
  more.set("inverse_temperature", plan.inverse_temperature);
  more.set("strength", plan.strength);
  more.set("ball", plan.ball);
  more.set("predicted_acceptance", plan.acceptance);
  return Options::table().certified(options, more);
}

}  // namespace tacit::inline v1::posterior
