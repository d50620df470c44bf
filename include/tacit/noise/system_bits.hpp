#pragma once

#include <memory>

#include "tacit/core/api.hpp"
#include "tacit/privacy/bit_source.hpp"

namespace tacit::inline v1::noise {

// Random bits for releases: AES-256 in counter mode, keyed by the kernel, keyed anew in a forked child. One
// object serves one thread. Throws Error when the kernel or the cipher fails; it never returns weaker bits.
TACIT_API std::unique_ptr<BitSource> system_bits();

}  // namespace tacit::inline v1::noise
