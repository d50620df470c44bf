#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/privacy/bit_source.hpp"
#include "tacit/privacy/guarantee.hpp"
#include "tacit/privacy/sensitive.hpp"
#include "tacit/privacy/step.hpp"

namespace tacit::inline v1 {

class Checkpoints;

struct Budget {
  Guarantee limit;
  Unit unit = Unit::item;
  Neighbours neighbours = Neighbours::replace_one;
};

// Sees what is sensitive, for audits. A meter that is watched is not private, and its certificate says so.
using Watcher = std::function<void(const Step& step, std::span<const double> opened)>;

// Holds the budget of one release. Every mechanism charges it before any noise is drawn; a charge that does
// not fit throws BudgetError and changes nothing.
// Under an Approx limit the costs of all steps must be fixed before the first one: privacy-loss distributions
// are no filter, so costs chosen by what came out would not be covered (docs/accounting.md, "Limits").
class TACIT_API Meter {
 public:
  // `bits` must outlive the meter.
  Meter(Budget budget, BitSource& bits);
  // A copy would spend the same budget once more.
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // Called with the step before it is recorded, once the step is known to fit the budget: the place where a
  // ledger writes the charge down. If it throws, the step is not taken.
  void before_each_step(std::function<void(const Step&)> hook) { hook_ = std::move(hook); }
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }
  // Where a method that can leaves its state between steps. Must outlive the release.
  void save_to(Checkpoints& checkpoints) { checkpoints_ = &checkpoints; }

  void charge(const Step& step);
  void show_watcher(MechanismKey, const Step& step, std::span<const double> opened) const;

  // What the steps so far give together, in the notion of the limit.
  Guarantee spent() const;

  const Budget& budget() const { return budget_; }
  const std::vector<Step>& steps() const { return steps_; }
  BitSource& bits() const { return *bits_; }
  bool watched() const { return static_cast<bool>(watcher_); }
  Checkpoints* checkpoints() const { return checkpoints_; }  // nullptr: the release is made in one go

 private:
  Budget budget_;
  BitSource* bits_;
  std::vector<Step> steps_;
  std::function<void(const Step&)> hook_;
  Watcher watcher_;
  Checkpoints* checkpoints_ = nullptr;
};

}  // namespace tacit::inline v1
