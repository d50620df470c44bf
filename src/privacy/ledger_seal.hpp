#pragma once

#include <string>

#include "tacit/privacy/ledger.hpp"

namespace tacit::inline v1 {

// SHA-256 over all that the ledger holds, in hex. It finds damage: SQLite would notice a broken page, but not
// a flipped bit in an amount. It is no protection against someone who edits the file on purpose.
std::string seal(const Ledger& ledger);

// Random bits in hex.
std::string random_hex(std::size_t bytes);

}  // namespace tacit::inline v1
