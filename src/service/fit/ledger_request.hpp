#pragma once

#include <optional>

#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::service {

// What a fit on a ledger, with this budget, asks of it. To make a record null is one way to replace it: where
// the method's proof covers that, a ledger for zero_out is charged the same number for its own relation
// [docs/certificate.md, "Two numbers"].
LedgerRequest request_to(const FitOptions& options, const Method& method, Budget budget,
                         const std::optional<LedgerGroup>& group);

}  // namespace tacit::inline v1::service
