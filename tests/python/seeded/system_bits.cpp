// Takes the place of noise::system_bits in the two programs that compare the tool with the package: the same
// bits for both, from TACIT_TEST_SEED. What they make says that it is seeded and not private; neither is ever
// installed, and what is installed knows no seed.

#include "tacit/mechanisms.hpp"

#include <cstdlib>
#include <string>

#include "support/seeded_bits.hpp"

namespace tacit::inline v1::noise {

std::unique_ptr<BitSource> system_bits() {
  return testing::seeded_bits(std::stoull(std::getenv("TACIT_TEST_SEED")));
}

}  // namespace tacit::inline v1::noise
