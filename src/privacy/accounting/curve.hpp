#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "privacy/accounting/band.hpp"
#include "privacy/accounting/fourier.hpp"
#include "privacy/accounting/lattice.hpp"
#include "privacy/accounting/saddle.hpp"

namespace tacit::inline v1::pld {

// How a composition is computed: the grid's step, the tilt, and the window of `size` grid points from the
// loss `low` on that the transform sees.
struct Plan {
  double step = 0, lambda = 0, low = 0;
  std::size_t size = 0;
  double lower_tilt = 0, upper_tilt = 0;  // for the bounds on what falls outside of the window
  Precision precision = Precision::plain;
  double tolerance = 0;  // the relative width of the bracket that the step was chosen for
};

// `count` copies of a law on the plan's grid.
struct LatticePart {
  LatticeLaw law;
  double count = 0;
};

enum class Side { above, below };

// delta as a function of epsilon for the composition of the parts: on Side::above never less than theirs, on
// Side::below never more.
class Curve {
 public:
  Curve(std::span<const LatticePart> parts, const Plan& plan, Side side);

  // above: an epsilon >= 0 at which delta is enough, or infinity. below: one at which it is not, or 0.
  double epsilon(double delta) const;
  double delta(double epsilon) const;  // epsilon >= 0

 private:
  void add_up_constants(std::span<const LatticePart> parts);
  void sum_tails(const Convolution& sum);
  double mass_beyond() const;         // what to put at the top of the window
  double mass_above(double x) const;  // bounds on the tilted mass at or beyond x
  double mass_below(double x) const;
  // At the window's point k: sum over l > k of e^{−λ(l−k)h} (1 − e^{−(l−k)h}) mass_l, rounded to the side.
  double tail(std::int64_t k) const;
  double alias(std::int64_t k) const;   // on how much of tail(k) may stem from outside of the window
  double log_at(std::int64_t k) const;  // ln of the finite part of delta at the window's point k
  double log_rounding(double at) const;
  double crossing(double log_target) const;
  double chernoff_epsilon(double log_target) const;

  Plan plan_;
  Side side_;
  std::int64_t first_ = 0;  // index of the window's first grid point: loss offset_ + first_·step
  std::int64_t parts_ = 0;
  double log_scale_ = 0, log_scale_size_ = 0;  // ln of what the tilted masses are to be multiplied with, and
                                               // its size without the signs of its terms
  // ln of the tilted composition's total mass, and of its moments at the plan's tilts and at −λ; rounded up.
  double total_mass_log_ = 0, upper_moment_log_ = 0, lower_moment_log_ = 0, untilted_log_ = 0;
  double infinite_ = 0;    // mass of an infinite loss
  double shift_ = 0;       // how much higher (lower) than the grid says the losses are: the parts' shifts …
  double offset_ = 0;      // … and offsets
  std::int64_t size_ = 0;  // of the window; 0 where there is no finite mass
  bool blind_ = false;     // the window cannot be computed: Chernoff's bound is all there is
  std::optional<Band> band_;  // tells tail(k) where few frequencies matter …
  std::vector<double> tail_;  // … and this where many do
};

}  // namespace tacit::inline v1::pld
