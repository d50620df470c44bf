#include "sampler/moments.hpp"

#include <algorithm>
#include <cmath>

#include "core/symmetric.hpp"
#include "sampler/exact.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

double norm_up(const Matrix& m) {
  return m.norm() * (1 + gamma_bound(static_cast<std::size_t>(m.size()) + 8));
}

double largest_eigenvalue_bound(const Matrix& m) {
  const Eigen::Index d = m.rows();
  const double largest = symmetric_eigenvalues(m).maxCoeff();
  const double size = m.diagonal().cwiseAbs().sum() + std::fabs(largest);
  const double gamma = gamma_bound(static_cast<std::size_t>(d) + 4);
  for (double extra = 1e-12;; extra *= 8) {
    const double c = largest + extra * size;
    Matrix gap = -m;
    gap.diagonal().array() += c;
    if (!has_cholesky(gap)) continue;
    // Rounding of c − Mᵢᵢ: u·(|c| + |Mᵢᵢ|); the factorisation: 2γ·trace(cI − M).
    const double trace = static_cast<double>(d) * std::fabs(c) + size;
    return add_up(c, 4 * gamma * trace);
  }
}

SecondMoment second_moment(RecordSums& records) {
  SecondSums sums = records.second();
  // |error| ≤ γ·Σ w|a||a|ᵀ entrywise, whose Frobenius norm is at most Σ w‖a‖².
  return {std::move(sums.value), mul_up(gamma_bound(records.moment_depth() + 8), sums.size * 1.001)};
}

FourthMoment::FourthMoment(RecordSums& records, Weight weight, const Matrix& transform)
    : records_(&records),
      weight_(weight),
      transform_(&transform),
      row_sum_(records.fourth_size(weight) * 1.001) {
  if (row_sum_ != 0 && static_cast<std::size_t>(transform.cols()) <= most_sharp_dimensions &&
      records.group() == 1)
    tensor_ = records.fourth_tensor(weight, transform);
}

double FourthMoment::bound(const Vector& b) const {
  if (row_sum_ == 0) return 0;
  // Rounding: each computed row is within γ_{d+6}‖a‖‖T‖ of the real one, and ‖x‖ ≤ ‖a‖‖T‖, so a term of order
  // four moves by at most 5γ(‖a‖‖T‖)⁴; the sum itself adds its own γ. Scaling by B costs at most 1/min B².
  const auto d = static_cast<std::size_t>(b.size());
  const double size = std::pow(norm_up(*transform_), 4) / std::pow(b.minCoeff(), 2) * 1.001;
  const double gamma = 5 * gamma_bound(d + 12) + 2 * gamma_bound(records_->moment_depth() + 2 * d + 16);
  return add_up(tensor_.size() != 0 ? sharp(b) : cheap(b), mul_up(gamma * 1.001, mul_up(row_sum_, size)));
}

// With y = svec(vvᵀ), ‖v‖ = 1: the sum is yᵀMy, and 1 = ‖y‖² = (eᵀy)², e = svec(I); so it is at most
// t + λmax(M − t·eeᵀ) for every t. Convex in t: a golden section, any t being right.
double FourthMoment::sharp(const Vector& b) const {
  const Eigen::Index d = b.size(), size = packed_size(d);
  Vector scale(size), e = Vector::Zero(size);
  for (Eigen::Index j = 0, at = 0; j < d; ++j)
    for (Eigen::Index k = j; k < d; ++k, ++at) {
      scale[at] = 1 / std::sqrt(b[j] * b[k]);
      e[at] = j == k ? 1 : 0;
    }
  const Matrix m = scale.asDiagonal() * tensor_ * scale.asDiagonal();
  const auto value = [&](double t) {
    const Matrix shifted = m - t * e * e.transpose();
    return t + symmetric_eigenvalues(shifted).maxCoeff();
  };
  const double golden = 0.618;
  double low = 0, high = m.diagonal().maxCoeff();
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double at_left = value(left), at_right = value(right);
  for (int k = 0; k < 10; ++k) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      at_left = value(left = high - golden * (high - low));
    } else {
      low = left;
      left = right;
      at_left = at_right;
      at_right = value(right = low + golden * (high - low));
    }
  }
  const double t = at_left < at_right ? left : right;
  const Matrix shifted = m - t * e * e.transpose();
  return add_up(t, largest_eigenvalue_bound(shifted));
}

// Σ w·max‖x̃ⱼ‖²·x̃x̃ᵀ with x̃ = B^{−½}x, j over the group, also over rows of weight 0: ⟨x̃ⱼ,v⟩² ≤ ‖x̃ⱼ‖²‖v‖².
double FourthMoment::cheap(const Vector& b) const {
  const Matrix scaled = *transform_ * b.cwiseSqrt().cwiseInverse().asDiagonal();
  return largest_eigenvalue_bound(records_->fourth_spread(weight_, scaled));
}

}  // namespace tacit::inline v1::sampler
