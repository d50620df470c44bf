#pragma once

#include "privacy/accounting/composition.hpp"
#include "privacy/accounting/plan.hpp"
#include "tacit/account.hpp"

namespace tacit::inline v1::pld {

// One direction of a composition, at about one delta: chooses grids, and brackets epsilon or delta with them.
class Problem {
 public:
  // `composition` must outlive the problem.
  Problem(const Composition& composition, Direction direction, double delta);

  Bracket epsilon() const;                      // at this delta
  DeltaBracket delta_at(double epsilon) const;  // best where it is about this delta
  bool suffices(double epsilon) const;          // may say no where it is enough, by a little

 private:
  std::vector<LatticePart> lattice_parts(Side side, const Plan& plan) const;
  Curve curve(Side side, const Plan& plan) const;
  std::vector<Part> resolve() const;
  double greatest_loss() const;  // of all parts together; may be infinite
  Plan first_plan(const Aim& aim) const;
  Plan finer_plan(const Aim& aim, double width) const;
  Aim take_aim() const;
  Aim aim_at(double epsilon) const;

  const Composition& composition_;
  Direction direction_;
  double delta_;
  Composition::Laws laws_;
  std::vector<Part> parts_;     // the laws' own sketches, for choosing nodes
  std::vector<Part> resolved_;  // grids of the laws as sketches: right also far out, where the tilt looks
};

}  // namespace tacit::inline v1::pld
