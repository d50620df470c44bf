#pragma once

#include <vector>

#include "tacit/data.hpp"

namespace tacit::inline v1 {

// What several files of one kind hold, one after the other, as if it had been one file. They were read with
// the same schema; users are told apart by their names, which must be there if users are.
TACIT_API ReadResult joined(std::vector<ReadResult> files);

}  // namespace tacit::inline v1
