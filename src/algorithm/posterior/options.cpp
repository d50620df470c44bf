#include "parts.hpp"
#include "tacit/algorithm/posterior/exact.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1::posterior {

void Options::validate() const {
  limits.validate();
  tacit::validate(budget);
  const bool pure = is_pure(budget);
  if (!pure && !std::holds_alternative<Gaussian>(budget))
    throw_error<UsageError>("the budget is {}, expected pure or gaussian", notion(budget));
  if (samples < 1 || samples > 10000)
    throw_error<UsageError>("samples is {}, expected between 1 and 10000", samples);
  if (localisation && !((pure ? *localisation > 0 : *localisation >= 0) && *localisation < 1))
    throw_error<UsageError>("localisation is {}, expected a share of the budget {} 0 and < 1", *localisation,
                            pure ? ">" : ">=");
  if (!(coverage > 0 && coverage < 1))
    throw_error<UsageError>("coverage is {}, expected between 0 and 1", coverage);
  if (!(least_acceptance > 0 && least_acceptance < 1))
    throw_error<UsageError>("least-acceptance is {}, expected between 0 and 1", least_acceptance);
}

Options Options::from(const Facts& facts) {
  Options options;
  options.budget = budget_from(facts);
  options.limits = limits_from(facts);
  if (facts.has("samples")) {
    const std::int64_t samples = facts.integer("samples");
    if (samples < 1) throw_error<UsageError>("samples is {}, expected between 1 and 10000", samples);
    options.samples = static_cast<std::size_t>(samples);
  }
  if (facts.has("localisation")) options.localisation = facts.number("localisation");
  if (facts.has("coverage")) options.coverage = facts.number("coverage");
  if (facts.has("least_acceptance")) options.least_acceptance = facts.number("least_acceptance");
  options.validate();
  return options;
}

std::vector<OptionSpec> option_specs() {
  std::vector<OptionSpec> specs = heavy_tails::option_specs();
  for (OptionSpec& spec : specs)
    if (spec.name == "regularisation")
      spec.fallback = "bias equal to noise at the radius, and a predicted acceptance of 0.001";
  specs.push_back({"samples", OptionKind::integer, "how many samples share the budget", "1 to 10000", "1"});
  specs.push_back({"localisation", OptionKind::number, "share of the budget that finds the ball to sample in",
                   "0 to 1", "0.5 for epsilon, 0 (no ball) for mu"});
  specs.push_back({"coverage", OptionKind::number, "probability that the minimiser lies in the ball",
                   "between 0 and 1", "0.99"});
  specs.push_back({"least-acceptance", OptionKind::number, "refuse below this predicted acceptance",
                   "between 0 and 1", "1e-7"});
  return specs;
}

}  // namespace tacit::inline v1::posterior
