#include "sampler/row_blocks.hpp"

#include <algorithm>

#include "sampler/softmax_piece.hpp"

namespace tacit::inline v1::sampler {

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

}  // namespace tacit::inline v1::sampler
