#pragma once

// Parts of the records that are assigned without a look at them: what parallel composition needs under
// replace_one and zero_out.

#include <cstddef>
#include <span>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// Uniform in 0 … bound − 1, exactly. bound ≥ 1.
TACIT_API std::size_t draw_below(std::size_t bound, BitSource& bits);

// A uniformly random order of 0 … n − 1, exactly.
TACIT_API std::vector<std::size_t> secret_order(std::size_t n, BitSource& bits);

// These records, with their labels.
TACIT_API Dataset rows_of(const Dataset& data, std::span<const std::size_t> rows);

// With as many rows as places: those that are added contribute nothing to a limited loss, without columns by
// their weight, which is 0. In shards nothing is added: there the number of rows is that of the places.
TACIT_API Dataset with_null_rows(Dataset data, std::size_t places);

}  // namespace tacit::inline v1
