#pragma once

// Layer: privacy.
//
// Opens the budget of a release. Methods do not include it: they are handed a meter.
//
//     tacit::RootMeter meter({.limit = tacit::Pure{1}}, *bits);   // noise::system_bits(), kept meanwhile

#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// The meter of a whole release, opened with its budget by whoever asks for it. A method is handed one and
// opens children of it: no header that it may include makes a budget.
class TACIT_API RootMeter : public Meter {
 public:
  // `bits` must outlive the meter.
  RootMeter(Budget budget, BitSource& bits) : Meter(std::move(budget), bits) {}

  // Called with the step before it is recorded, once the step is known to fit the budget: the place where a
  // ledger writes the charge down. If it throws, the step is not taken.
  void before_each_step(std::function<void(const Step&)> hook) { hook_ = std::move(hook); }
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }
  // Where a method that can leaves its state between steps. Must outlive the release.
  void save_to(Checkpoints& checkpoints) { checkpoints_ = &checkpoints; }
};

}  // namespace tacit::inline v1
