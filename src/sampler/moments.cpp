#include "sampler/moments.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "sampler/softmax_piece.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

namespace {

// The sharp form costs n·d⁴/4: [heuristic: speed only].
constexpr Eigen::Index most_sharp_dimensions = 12;

double frobenius_up(const Matrix& m) {
  return m.norm() * (1 + gamma_bound(static_cast<std::size_t>(m.size()) + 8));
}

Eigen::Index packed_size(Eigen::Index d) { return d * (d + 1) / 2; }

}  // namespace

double largest_eigenvalue_bound(const Matrix& m) {
  const Eigen::Index d = m.rows();
  const double largest =
      Eigen::SelfAdjointEigenSolver<Matrix>(m, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
  const double size = m.diagonal().cwiseAbs().sum() + std::fabs(largest);
  const double gamma = gamma_bound(static_cast<std::size_t>(d) + 4);
  for (double extra = 1e-12;; extra *= 8) {
    const double c = largest + extra * size;
    Matrix gap = -m;
    gap.diagonal().array() += c;
    if (Eigen::LLT<Matrix>(gap).info() != Eigen::Success) continue;
    // Rounding of c − Mᵢᵢ: u·(|c| + |Mᵢᵢ|); the factorisation: 2γ·trace(cI − M).
    const double trace = static_cast<double>(d) * std::fabs(c) + size;
    return add_up(c, 4 * gamma * trace);
  }
}

RowBlocks::RowBlocks(const Problem& problem) : problem_(&problem), features_(shape_of(problem).features) {
  const auto* classes = std::get_if<Softmax>(&problem.loss);
  if (classes == nullptr) return;
  const Matrix basis = SoftmaxLoss(classes->classes).basis();
  group_ = class_pairs(classes->classes);
  block_ = std::max<std::size_t>(1, block_ / group_) * group_;
  differences_.resize(basis.cols(), static_cast<Eigen::Index>(group_));
  for (Eigen::Index k = 0, at = 0; k < basis.rows(); ++k)
    for (Eigen::Index l = k + 1; l < basis.rows(); ++l, ++at)
      differences_.col(at) = (basis.row(k) - basis.row(l)).transpose();
}

Matrix RowBlocks::operator()(std::size_t begin) const {
  const std::size_t first = begin / group_, count = std::min(block_ / group_, records() - first),
                    columns = problem_->data->features.columns();
  Matrix rows = Matrix::Zero(static_cast<Eigen::Index>(features_), static_cast<Eigen::Index>(count));
  RowRoom room;
  for (std::size_t i = 0; i < count; ++i) {
    const RowView row = problem_->data->features.row(first + i, room);
    double* to = rows.data() + i * features_;
    for (std::size_t k = 0; k < row.size; ++k) to[row.columns ? row.columns[k] : k] = row.values[k];
    if (problem_->intercept != 0) to[columns] = problem_->intercept;
  }
  if (differences_.size() == 0) return rows;
  Matrix pairs(differences_.rows() * rows.rows(), rows.cols() * differences_.cols());
  for (Eigen::Index i = 0; i < rows.cols(); ++i)
    for (Eigen::Index q = 0; q < differences_.cols(); ++q)
      for (Eigen::Index o = 0; o < differences_.rows(); ++o)
        pairs.col(i * differences_.cols() + q).segment(o * rows.rows(), rows.rows()) =
            differences_(o, q) * rows.col(i);
  return pairs;
}

std::size_t sum_depth(const RowBlocks& rows) { return rows.block() + rows.rows() / rows.block() + 16; }

SecondMoment second_moment(const RowBlocks& rows, const std::vector<double>& weights,
                           const std::vector<double>& norms) {
  SecondMoment sum;
  double sizes = 0;
  for (std::size_t begin = 0; begin < rows.rows(); begin += rows.block()) {
    Matrix scaled = rows(begin);
    for (Eigen::Index i = 0; i < scaled.cols(); ++i) {
      const std::size_t record = begin + static_cast<std::size_t>(i);
      const double weight = weights[record];
      if (weight == 0)
        scaled.col(i).setZero();
      else
        scaled.col(i) *= std::sqrt(weight);
      sizes += weight == 0 ? 0 : weight * norms[record] * norms[record];
    }
    if (sum.value.size() == 0) sum.value = Matrix::Zero(scaled.rows(), scaled.rows());
    sum.value.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  }
  sum.value = Matrix(sum.value.selfadjointView<Eigen::Lower>());
  // |error| ≤ γ·Σ w|a||a|ᵀ entrywise, whose Frobenius norm is at most Σ w‖a‖².
  sum.error = mul_up(gamma_bound(sum_depth(rows) + 8), sizes * 1.001);
  return sum;
}

FourthMoment::FourthMoment(const RowBlocks& rows, const Matrix& transform, const std::vector<double>& weights,
                           const std::vector<double>& norms)
    : rows_(&rows), transform_(&transform), weights_(&weights) {
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] != 0) row_sum_ += weights[i] * std::pow(norms[i], 4);
  row_sum_ *= 1.001;
  all_zero_ = row_sum_ == 0;
  const Eigen::Index d = transform.cols();
  if (all_zero_ || d > most_sharp_dimensions || rows.group() > 1) return;
  tensor_ = Matrix::Zero(packed_size(d), packed_size(d));
  Matrix packed(packed_size(d), static_cast<Eigen::Index>(rows.block()));
  for (std::size_t begin = 0; begin < rows.rows(); begin += rows.block()) {
    const Matrix x = transform.transpose() * rows(begin);
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      const double root = std::sqrt(weights[begin + static_cast<std::size_t>(i)]);
      if (root == 0) {
        packed.col(i).setZero();
        continue;
      }
      for (Eigen::Index j = 0, at = 0; j < d; ++j)
        for (Eigen::Index k = j; k < d; ++k, ++at)
          packed(at, i) = root * (j == k ? 1.0 : std::sqrt(2.0)) * x(j, i) * x(k, i);
    }
    tensor_.selfadjointView<Eigen::Lower>().rankUpdate(packed.leftCols(x.cols()));
  }
}

double FourthMoment::bound(const Vector& b) const {
  if (all_zero_) return 0;
  // Rounding: each computed row is within γ_{d+6}‖a‖‖T‖ of the real one, and ‖x‖ ≤ ‖a‖‖T‖, so a term of order
  // four moves by at most 5γ(‖a‖‖T‖)⁴; the sum itself adds its own γ. Scaling by B costs at most 1/min B².
  const auto d = static_cast<std::size_t>(b.size());
  const double size = std::pow(frobenius_up(*transform_), 4) / std::pow(b.minCoeff(), 2) * 1.001;
  const double gamma = 5 * gamma_bound(d + 12) + 2 * gamma_bound(sum_depth(*rows_) + 2 * d + 16);
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
  const Matrix m = scale.asDiagonal() * Matrix(tensor_.selfadjointView<Eigen::Lower>()) * scale.asDiagonal();
  const auto value = [&](double t) {
    const Matrix shifted = m - t * e * e.transpose();
    return t +
           Eigen::SelfAdjointEigenSolver<Matrix>(shifted, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
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
  Matrix sum = Matrix::Zero(b.size(), b.size());
  for (std::size_t begin = 0; begin < rows_->rows(); begin += rows_->block()) {
    Matrix x = scaled.transpose() * (*rows_)(begin);
    const auto group = static_cast<Eigen::Index>(rows_->group());
    double longest = 0;
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      if (i % group == 0) longest = x.middleCols(i, group).colwise().norm().maxCoeff();
      const double weight = (*weights_)[begin + static_cast<std::size_t>(i)];
      if (weight == 0)
        x.col(i).setZero();
      else
        x.col(i) *= std::sqrt(weight) * longest;
    }
    sum.selfadjointView<Eigen::Lower>().rankUpdate(x);
  }
  return largest_eigenvalue_bound(Matrix(sum.selfadjointView<Eigen::Lower>()));
}

}  // namespace tacit::inline v1::sampler
