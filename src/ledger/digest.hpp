#pragma once

#include <cstddef>
#include <string>

// SHA-256 is `fingerprint` of ledger/lock.hpp.

namespace tacit::inline v1 {

// Random bits in hex.
std::string random_hex(std::size_t bytes);

}  // namespace tacit::inline v1
