#include "parts.hpp"
#include "tacit/algorithm/posterior/exact.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1::posterior {

void Options::validate() const {
  validate_sampling(*this);
  const bool pure = is_pure(budget);
  if (localisation && !((pure ? *localisation > 0 : *localisation >= 0) && *localisation < 1))
    throw_error<UsageError>("localisation is {}, expected a share of the budget {} 0 and < 1", *localisation,
                            pure ? ">" : ">=");
  if (!(least_acceptance > 0 && least_acceptance < 1))
    throw_error<UsageError>("least-acceptance is {}, expected between 0 and 1", least_acceptance);
}

Options Options::from(const Facts& facts) {
  Options options{sampling_from(facts)};
  if (facts.has("localisation")) options.localisation = facts.number("localisation");
  if (facts.has("least_acceptance")) options.least_acceptance = facts.number("least_acceptance");
  options.validate();
  return options;
}

std::vector<OptionSpec> option_specs() {
  std::vector<OptionSpec> specs =
      sampling_specs("bias equal to noise at the radius, and a predicted acceptance of 0.001");
  specs.push_back({"localisation", OptionKind::number, "share of the budget that finds the ball to sample in",
                   "0 to 1", "0.5 for epsilon, 0 (no ball) for mu"});
  specs.push_back({"least-acceptance", OptionKind::number, "refuse below this predicted acceptance",
                   "between 0 and 1", "1e-7"});
  return specs;
}

}  // namespace tacit::inline v1::posterior
