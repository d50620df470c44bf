#pragma once

#include "tacit/audit.hpp"

// Neighbours that a method must not tell apart: the ones that audits use.

namespace tacit::testing {

using audit::adversarial_pairs;
using audit::extreme_label;
using audit::NeighbourPair;

}  // namespace tacit::testing
