#include "phases.hpp"

#include <fmt/format.h>

#include "records.hpp"
#include "tacit/algorithm/method.hpp"

namespace tacit::inline v1::user_level {

void set_spread(Facts& facts, const std::optional<double>& spread, const std::vector<double>& found) {
  facts.set("spread", auto_or_text(spread));
  for (std::size_t k = 0; k < found.size(); ++k) facts.set(fmt::format("tau_{}", k + 1), found[k]);
}

void set_share(Facts& facts, const TestShare& share) {
  facts.set("core", share.core);
  facts.set("test_share", share.test_share);
  facts.set("failure_share", share.failure_share);
}

TestShare share_from(const Facts& facts) {
  TestShare share;
  if (facts.has("core")) share.core = facts.number("core");
  if (facts.has("test_share")) share.test_share = facts.number("test_share");
  if (facts.has("failure_share")) share.failure_share = facts.number("failure_share");
  return share;
}

void add_share_specs(std::vector<OptionSpec>& specs) {
  specs.push_back({"core", OptionKind::number, "share of pairs within tau that the test guarantees (rho)",
                   "between 2/3 and 1", "0.75"});
  specs.push_back({"test-share", OptionKind::number, "of epsilon, for the test", "between 0 and 1", "0.3"});
  specs.push_back(
      {"failure-share", OptionKind::number, "of delta, for a test that errs", "between 0 and 1", "0.1"});
}

}  // namespace tacit::inline v1::user_level
