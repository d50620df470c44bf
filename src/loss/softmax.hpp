#pragma once

#include <cstddef>
#include <span>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Joint softmax over K classes in reduced coordinates: the logits are V·z, z ∈ ℝ^{K−1}. One record's loss
// ω·(log Σ exp(Vz)_k − (Vz)_y) is convex in z; its gradient has norm ≤ √2·ω and its Hessian ≤ ½·ω
// (docs/limited_loss.md). The limited form is the weight ω.
class TACIT_API SoftmaxLoss {
 public:
  explicit SoftmaxLoss(std::size_t classes);  // ≥ 2

  std::size_t classes() const { return static_cast<std::size_t>(basis_.rows()); }
  std::size_t outputs() const { return static_cast<std::size_t>(basis_.cols()); }

  // V: K × (K−1), its columns an orthonormal basis (up to rounding) of the vectors that sum to zero.
  const Matrix& basis() const { return basis_; }

  // ω = min(1, C/(√2‖a‖), Q/(½‖a‖²)), rounded down, with room for V being orthonormal only up to rounding.
  static double weight(double slope_limit, double curvature_limit, double norm);
  // The same with another norm, a gauge, for the slope: C/(√2·gauge).
  static double weight(double slope_limit, double curvature_limit, double gauge, double norm);

  // p = softmax(V z); `p` has K entries.
  void probabilities(std::span<const double> z, std::span<double> p) const;
  double value(std::span<const double> z, std::size_t label) const;
  // Vᵀ(p − e_label); `gradient` has K−1 entries.
  void gradient(std::span<const double> p, std::size_t label, std::span<double> gradient) const;
  // Vᵀ(softmax(Vz) − e_label) in one go and in O(K), by running sums; p is room for K numbers. The same as
  // probabilities() and gradient() up to rounding.
  void residual(std::span<const double> z, std::size_t label, std::span<double> p,
                std::span<double> residual) const;
  // The same, bit for bit, for one record after the other, in place: K − 1 entries of z and one label each. p
  // is room for K numbers a record, `totals` for two.
  void residuals(std::span<double> z, std::span<const double> labels, std::span<double> p,
                 std::span<double> totals) const;
  // Vᵀ(diag(p) − ppᵀ)V direction.
  void curvature(std::span<const double> p, std::span<const double> direction,
                 std::span<double> result) const;

  // A bound on what rounding adds to ω‖a‖·‖gradient‖, per unit of C, at the same z.
  double gradient_rounding() const;
  // The computed logits differ from V z by at most this times ‖z‖.
  double logit_rounding() const;

 private:
  Matrix basis_;
  Vector scales_;  // 1/√(k(k+1)), k = 1 … K−1
};

}  // namespace tacit::inline v1
