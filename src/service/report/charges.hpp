#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/ledger.hpp"
#include "tacit/meter.hpp"

// What a ledger says of files that are shown beside it.

namespace tacit::inline v1::service {

// Of one file: where it was charged, or why the ledger does not count it.
struct Charged {
  std::string name;          // the budget's; empty: none
  std::string why_not = {};  // empty: it is counted there
};

// `certificates` and `digests` by file, in the same order. A charge is found by its id, which the certificate
// has; it must cover the guarantee, be for the same method
// (or kind of statement) and group, and be no other file's.
std::vector<Charged> charged_to(const Ledger& ledger, const std::vector<Certificate>& certificates,
                                const std::vector<std::string>& digests);

// A promise is rounded up, the numbers of a ledger are rounded to the nearest: the reason, where both are
// shown and differ. Empty: they do not.
std::string why_rounded(const Guarantee& spent);

// What adding up the charges assumes; empty: nothing.
std::string assumed_by(const Ledger& ledger);

}  // namespace tacit::inline v1::service
