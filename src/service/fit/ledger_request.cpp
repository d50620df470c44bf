#include "service/fit/ledger_request.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tacit::inline v1::service {

namespace {

// Methods that are proved for a replaced record alone, and whose proof is one for a record that becomes null:
// all that it uses of a record holds for one whose loss is zero. Those for convex losses use that a record's
// slope is at most C and its curvature from 0 to Q, a posterior its slope, `o2nc` that a gradient is clipped,
// methods for users that a user's is; `tuned` the proofs of what it chooses from, and that a score is from 0
// to 1. A custom method may use more.
constexpr std::array<std::string_view, 11> covers_null{
    "double-output", "localized",  "net-exponential", "localized-exponential", "asap-mala", "tuned",
    "o2nc-single",   "o2nc-multi", "o2nc-first",      "user-phased",           "user-erm"};

}  // namespace

LedgerRequest request_to(const LedgerUse& ledger, const Method& method, Budget budget,
                         const std::optional<LedgerGroup>& group) {
  if (std::ranges::count(covers_null, method.name) > 0 &&
      read_ledger_terms(ledger.path).neighbours == Neighbours::zero_out)
    budget.neighbours = Neighbours::zero_out;
  return {ledger.name, method.name, budget, group};
}

}  // namespace tacit::inline v1::service
