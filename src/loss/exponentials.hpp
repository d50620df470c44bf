#pragma once

#include <span>

namespace tacit::inline v1 {

// x ← e^x for every entry, within 1 ulp. What an entry becomes depends on it and the machine's instructions
// only, not on its place or on the others.
void exponentials(std::span<double> x);

}  // namespace tacit::inline v1
