#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tacit/guarantee.hpp"

// How often intervals of coefficients hold what they are for, over records, noise and measurements.

namespace tacit::experiment {

// Two features, uniform on [−½, ½], and a constant.
// Classes follow a logistic model; numbers a line with deviation 0.2, cut to [−1, 1].
struct CoverageSetting {
  bool classes = true;
  std::size_t records = 10000;
  Guarantee guarantee;  // Pure or Approx, of fit and intervals together
  std::string method = "limited-objective";
  double share = 0.2, level = 0.95;
};

struct Coverage {
  double population = 0, minimiser = 0;    // shares of all intervals
  double half_width = 0, noise_width = 0;  // their mean halves: for the population, for the minimiser
};

// Over this many fits, each of records of its own. The population's coefficients are those of 2^19 records
// that are spread evenly.
TACIT_API Coverage coverage(const CoverageSetting& setting, std::size_t fits, std::uint64_t seed);

}  // namespace tacit::experiment
