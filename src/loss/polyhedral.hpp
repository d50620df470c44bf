#pragma once

#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// f(w) = max(low·t, high·t) with t = ⟨normal, w⟩ + offset, low ≤ high and ‖normal‖ ≤ 1: what affine, hinge,
// ReLU, absolute and pinball losses of linear models are [Lowy26, Cor. D.7].
struct PolyhedralRecord {
  Vector normal;
  double offset = 0, low = 0, high = 0;

  double distance(const Vector& w) const { return normal.dot(w) + offset; }  // t
  double value(const Vector& w) const;
};

// max(low·(⟨a,w⟩ + b), high·(⟨a,w⟩ + b)) with its slopes limited to `gradient_bound`, for w of norm ≤ `size`:
// convex, gradient_bound-Lipschitz whatever a and b hold, and equal to the loss, up to a constant, where that
// obeys the bound. A row beyond what arithmetic can hold (loss/limited.hpp) contributes nothing.
TACIT_API PolyhedralRecord polyhedral_record(const Vector& a, double b, double low, double high,
                                             double gradient_bound, double size);

// Such records as a ConvexLoss (loss/convex.hpp) on the ball of radius `size` around 0.
class TACIT_API PolyhedralLoss {
 public:
  PolyhedralLoss(std::vector<PolyhedralRecord> records, double gradient_bound, double size);

  std::size_t records() const { return records_.size(); }
  std::size_t dimension() const { return static_cast<std::size_t>(records_.front().normal.size()); }
  double lipschitz() const { return gradient_bound_; }
  double error() const { return error(gradient_bound_, size_, dimension()); }
  double value(std::size_t record, const Vector& w) const { return records_[record].value(w); }
  void subgradient(std::size_t record, const Vector& w, Vector& g) const;
  const PolyhedralRecord& operator[](std::size_t record) const { return records_[record]; }

  // The same number from public values alone.
  static double error(double gradient_bound, double size, std::size_t dimension);

 private:
  std::vector<PolyhedralRecord> records_;
  double gradient_bound_, size_;
};

}  // namespace tacit::inline v1
