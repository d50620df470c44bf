#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/numbers.hpp"
#include "privacy/accounting/curve.hpp"
#include "privacy/accounting/loss_law.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::pld {

// Events that have a privacy-loss distribution, equal ones counted together and Gaussians merged into one.
class Composition {
 public:
  explicit Composition(std::span<const Event> events);

  bool only_gaussian() const { return terms_.empty(); }
  // Whether the lower end can come near to the upper one: not for families of which only a member is used
  // below.
  bool tight_below() const { return tight_below_; }
  bool symmetric() const { return symmetric_; }  // the two directions cost the same
  double mu() const { return mu_; }              // of all Gaussian steps together, rounded up …
  double mu_below() const { return mu_below_; }  // … and down
  double sum_of_epsilons() const;                // infinite with Gaussian noise
  double failure() const;                        // the sum of the deltas, rounded up …
  double failure_below() const;                  // … and 1 − Π(1 − delta), rounded down

  // The laws for one direction. Side::below may need the grid: atoms must lie on it.
  struct Laws {
    std::vector<std::unique_ptr<LossLaw>> laws;
    std::vector<double> counts;
  };
  Laws laws(Direction direction, Side side, double step) const;

 private:
  struct Term {
    Event event;
    double count;
  };
  void add(const Event& event);

  std::vector<Term> terms_;  // everything but plain Gaussian steps
  double mu_ = 0, mu_below_ = 0;
  bool symmetric_ = true, tight_below_ = true;
};

}  // namespace tacit::inline v1::pld
