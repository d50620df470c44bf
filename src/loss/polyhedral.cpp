#include "loss/polyhedral.hpp"

#include <algorithm>
#include <cmath>

#include "loss/limited.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

double PolyhedralRecord::value(const Vector& w) const {
  const double t = distance(w);
  return std::max(low * t, high * t);
}

PolyhedralRecord polyhedral_record(const Vector& a, double b, double low, double high, double gradient_bound,
                                   double size) {
  const RowView row{.values = a.data(), .columns = nullptr, .size = static_cast<std::size_t>(a.size())};
  const double norm = row_norm(row, 0);
  if (norm == 0) return {Vector::Zero(a.size()), 0, 0, 0};
  // Beyond four times the size of the domain the kink is out of reach: only a constant changes.
  return {.normal = a / norm,
          .offset = std::clamp(b / norm, -4 * size, 4 * size),
          .low = std::clamp(low * norm, -gradient_bound, gradient_bound),
          .high = std::clamp(high * norm, -gradient_bound, gradient_bound)};
}

PolyhedralLoss::PolyhedralLoss(std::vector<PolyhedralRecord> records, double gradient_bound, double size)
    : records_(std::move(records)), gradient_bound_(gradient_bound), size_(size) {
  if (records_.empty()) throw_error<DataError>("the dataset has no records");
}

void PolyhedralLoss::subgradient(std::size_t record, const Vector& w, Vector& g) const {
  const PolyhedralRecord& at = records_[record];
  g = (at.distance(w) > 0 ? at.high : at.low) * at.normal;
}

// t is at most 5·size and computed up to γ of that. On the wrong side of the kink by δ a slope is a
// subgradient up to 2A·δ; rounding the product adds u·A for each unit of distance, and that is at most
// 2·size.
double PolyhedralLoss::error(double gradient_bound, double size, std::size_t dimension) {
  return mul_up(mul_up(16, gamma_bound(dimension + 8)), mul_up(gradient_bound, size));
}

}  // namespace tacit::inline v1
