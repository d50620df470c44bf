#pragma once

#include "tacit/data.hpp"

namespace tacit::inline v1::audit {

// Whether the i-th records of two datasets are equal; stored zeros count as absent.
bool same_record(const Dataset& a, const Dataset& b, std::size_t i);

}  // namespace tacit::inline v1::audit
