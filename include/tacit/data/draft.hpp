#pragma once

#include <cstddef>

#include "tacit/core/api.hpp"
#include "tacit/data/read.hpp"
#include "tacit/data/schema.hpp"

namespace tacit::inline v1 {

struct DraftOptions {
  ReadOptions file;                        // path, header, separator, skip_lines, target, user of a CSV file
  std::size_t largest_category_set = 100;  // a text column with more distinct values is ignored; >= 1
  std::size_t most_integer_classes = 20;  // a target with at most so many distinct integers has classes; >= 2
};

// A first schema for a file, to be edited by someone who knows what is public. Bounds and categories are
// those that occur in the data, which is why it says drafted_from_data.
TACIT_API Schema draft_schema(const DraftOptions& options);

}  // namespace tacit::inline v1
