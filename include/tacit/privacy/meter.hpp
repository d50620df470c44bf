#pragma once

#include <cstdint>
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
//
// A method that runs others plans a step with inner steps, and opens it: the meter is charged for the whole,
// and the child admits the planned steps alone, each as often as planned. So what is charged, what is written
// down and what is done are one plan.
class TACIT_API Meter {
 public:
  // A copy would spend the same budget once more.
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  // A child admits a step of the mechanism and the cost of one that was planned.
  void charge(const Step& step);

  // Charges the step and opens it: a meter for its inner steps. A child's step must be one that was planned,
  // to the last number. It must not outlive the meter of the release.
  Meter child(const Step& step);
  // Opens the next part of the disjoint ones that all steps charged so far are about: every step's inner
  // steps are the parts' (Parallel), in order. Each part is opened once.
  Meter next_part();

  void show_watcher(MechanismKey, const Step& step, std::span<const double> opened) const;

  // What the steps so far give together, in the notion of the limit.
  Guarantee spent() const;

  const Budget& budget() const { return budget_; }
  // What was charged; a child's are those that were planned for it.
  const std::vector<Step>& steps() const { return steps_; }
  BitSource& bits() const { return *bits_; }
  bool watched() const { return static_cast<bool>(root_->watcher_); }
  // nullptr: the release is made in one go. So are all that are nested in others.
  Checkpoints* checkpoints() const { return checkpoints_; }

 private:
  friend class RootMeter;
  Meter(Budget budget, BitSource& bits);
  Meter(const Meter& parent, Budget budget, std::vector<Step> planned, const Nesting& rule);

  bool is_root() const { return root_ == this; }
  Budget budget_within(const Step& step) const;
  void take(std::size_t planned);

  Budget budget_;
  BitSource* bits_;
  const Meter* root_;  // has the watcher
  std::vector<Step> steps_;
  std::vector<std::uint64_t> left_;  // of a child: how often each planned step may still be taken
  Nesting rule_;                     // of a child: how its steps go together
  std::size_t parts_ = 0;            // opened
  std::function<void(const Step&)> hook_;
  Watcher watcher_;
  Checkpoints* checkpoints_ = nullptr;
};

}  // namespace tacit::inline v1
