#pragma once

#include <span>

#include "tacit/problem.hpp"

// Kinked links smoothed by convolution with a ball [Lowy26, App. E.2]: f_ρ(w) = E f(w + ρu), u uniform in the
// unit ball of ℝᵖ. For f = φ(⟨a,w⟩) only s = ⟨a,w⟩ moves, by ρ‖a‖t, t the first coordinate of u, so that
//   φ_ρ'(s) = φ'(−∞) + (φ'(∞) − φ'(−∞))·P(t ≤ (s − kink)/(ρ‖a‖)).

namespace tacit::inline v1::heavy_tails {

// Whether the loss is one output with one kink: absolute, pinball, hinge.
bool has_one_kink(const LossSpec& loss);

// Gradients of C-Lipschitz smoothed losses, record by record.
class BallSmoothed {
 public:
  BallSmoothed(const Problem& problem, double slope_limit, double smoothing_radius);

  // Σ of the records' gradients at w. Each is a function of its record and w alone, of norm ≤ slope_limit·(1
  // + rounding()).
  Vector gradient(const Vector& w) const;
  // One record's gradient, added to `sum`.
  void add_gradient(const Vector& w, std::size_t record, std::span<double> sum) const;

  // Relative, of one record's gradient; the sum adds at most γ_n of Σ‖gradients‖.
  static double rounding(std::size_t parameters);

 private:
  double slope(std::size_t record, double score) const;

  const Problem* problem_;
  double slope_limit_, smoothing_radius_;
};

}  // namespace tacit::inline v1::heavy_tails
