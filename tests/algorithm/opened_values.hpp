#pragma once

#include <span>
#include <vector>

#include "support/adversarial.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::testing {

// What the last mechanism of a run opened, on either of two neighbours, and what it claims of them.
struct OpenedValues {
  std::vector<double> of[2];
  double claimed = 0;
};

// `run(problem, meter)` with the same bits on both.
template <class Run>
OpenedValues opened_values(const NeighbourPair& pair, const LossSpec& loss, const Run& run) {
  OpenedValues opened;
  for (int side = 0; side < 2; ++side) {
    const auto bits = seeded_bits(3);
    RootMeter meter({.limit = Pure{1}}, *bits);
    meter.watch([&](const Step& step, std::span<const double> value) {
      opened.of[side].assign(value.begin(), value.end());
      opened.claimed = step.sensitivity.total();
    });
    run(Problem{.data = side == 0 ? &pair.first : &pair.second, .loss = loss}, meter);
  }
  return opened;
}

}  // namespace tacit::testing
