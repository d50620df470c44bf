#include "service/fit/ledger_request.hpp"

namespace tacit::inline v1::service {

LedgerRequest request_to(const FitOptions& options, const Method& method, Budget budget,
                         const std::optional<LedgerGroup>& group) {
  const LedgerUse& ledger = *options.ledger;
  if (!protects(method, Neighbours::zero_out) && covers_null(method, options.method_options) &&
      read_ledger_terms(ledger.path).neighbours == Neighbours::zero_out)
    budget.neighbours = Neighbours::zero_out;
  return {ledger.name, method.name, budget, group};
}

}  // namespace tacit::inline v1::service
