#pragma once

#include <optional>

#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::noise {

// The state that an earlier process released and saved behind this meter; nothing at a beginning. It was paid
// for when that process drew its noise: the caller charges the meter with the same steps again, for the
// certificate, and draws only those that are missing.
TACIT_API std::optional<Released<Vector>> restored(const Meter& meter);

}  // namespace tacit::inline v1::noise
