#include "algorithm/user_level/phases.hpp"

#include <fmt/format.h>

#include "tacit/core.hpp"

namespace tacit::inline v1::user_level {

const OptionTable<TestShare>& share_table() {
  static const OptionTable<TestShare> table = {
      field(&TestShare::core, "core", open(2.0 / 3, 1),
            "share of pairs within tau that the test guarantees (rho)")
          .within_words("between 2/3 and 1"),
      field(&TestShare::test_share, "test-share", open(0, 1), "of epsilon, for the test"),
      field(&TestShare::failure_share, "failure-share", open(0, 1), "of delta, for a test that errs")};
  return table;
}

void set_outcome(Facts& facts, const Outcome& outcome) {
  facts.set("phases_passed", static_cast<std::int64_t>(outcome.passed));
  for (std::size_t k = 0; k < outcome.tau.size(); ++k)
    facts.set(fmt::format("tau_{}", k + 1), outcome.tau[k]);
}

Outcome outcome_from(const Facts& facts, std::size_t phases) {
  const std::int64_t passed = facts.integer("phases_passed");
  if (passed < 0 || static_cast<std::size_t>(passed) > phases)
    throw_error<VerificationError>("{} of {} phases were passed", passed, phases);
  Outcome outcome{.passed = static_cast<std::size_t>(passed)};
  for (std::size_t k = 1; k <= phases && facts.has(fmt::format("tau_{}", k)); ++k)
    outcome.tau.push_back(facts.number(fmt::format("tau_{}", k)));
  if (facts.text("spread") == "auto" && outcome.tau.size() < outcome.passed)
    throw_error<VerificationError>("{} phases were passed, but {} tau are stated", outcome.passed,
                                   outcome.tau.size());
  return outcome;
}

}  // namespace tacit::inline v1::user_level
