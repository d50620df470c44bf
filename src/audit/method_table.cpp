#include "objective_checks.hpp"
#include "tacit/audit/method.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1::audit {

namespace {

// Strong regularisation keeps every score near 0, where two records can pull against each other with full
// force.
Facts strong_regularisation() {
  Facts facts;
  facts.set("regularisation", 10.0);
  return facts;
}

}  // namespace

std::span<const AuditedMethod> audited_methods() {
  static const std::vector<AuditedMethod> table = {
      {"limited-objective", objective_checks, strong_regularisation()},
      {"limited-output", nullptr, strong_regularisation()},
      {"plain", nullptr, {}},
  };
  return table;
}

const AuditedMethod& find_audit(std::string_view method) {
  for (const AuditedMethod& audited : audited_methods())
    if (audited.name == method) return audited;
  throw_error<UsageError>("the method \"{}\" has no audit", method);
}

}  // namespace tacit::inline v1::audit
