#include "parts.hpp"
#include "tacit/algorithm/posterior/asap.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1::posterior {

void AsapOptions::validate() const {
  validate_sampling(*this);
  if (!(localisation > 0 && perturbation > 0 && localisation + perturbation < 1))
    throw_error<UsageError>("localisation is {} and perturbation {}, expected shares > 0 that leave some",
                            localisation, perturbation);
  if (mala_steps && !(*mala_steps >= 1 && *mala_steps <= 1'000'000'000'000))
    throw_error<UsageError>("mala-steps is {}, expected between 1 and 1e12", *mala_steps);
  if (!(step_limit >= 1 && step_limit <= 1e12))
    throw_error<UsageError>("step-limit is {}, expected between 1 and 1e12", step_limit);
}

AsapOptions AsapOptions::from(const Facts& facts) {
  AsapOptions options{sampling_from(facts)};
  if (facts.has("localisation")) options.localisation = facts.number("localisation");
  if (facts.has("perturbation")) options.perturbation = facts.number("perturbation");
  if (facts.has("mala_steps")) options.mala_steps = facts.integer("mala_steps");
  if (facts.has("step_limit")) options.step_limit = facts.number("step_limit");
  options.validate();
  return options;
}

std::vector<OptionSpec> asap_option_specs() {
  std::vector<OptionSpec> specs = sampling_specs("bias equal to noise at the radius");
  specs.push_back({"localisation", OptionKind::number, "share of the budget that finds the ball to sample in",
                   "between 0 and 1", "0.45"});
  specs.push_back({"perturbation", OptionKind::number,
                   "share of the budget for the noise that covers the chain's distance", "between 0 and 1",
                   "0.1"});
  specs.push_back({"mala-steps", OptionKind::integer,
                   "steps of a chain, in place of the theorem's number; the certificate says so", "1 to 1e12",
                   "as many as [Lin24, Thm 1] asks for with constant 1"});
  specs.push_back(
      {"step-limit", OptionKind::number, "refuse when the theorem asks for more steps", "1 to 1e12", "1e7"});
  return specs;
}

}  // namespace tacit::inline v1::posterior
