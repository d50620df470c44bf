#pragma once

// Pairs of CSV files, each encoded first and then mapped.

#include "neutrality_csv.hpp"

namespace tacit::neutrality {

inline Pair encoded_pair(Random& random) {
  Pair pair = csv_pair_with_schema(random);
  pair.encoded = true;
  return pair;
}

}  // namespace tacit::neutrality
