#include "sampler/records_here.hpp"

#include <algorithm>
#include <cmath>

#include "core/numbers.hpp"
#include "core/ordered_parts.hpp"
#include "sampler/envelope.hpp"
#include "sampler/moments.hpp"
#include "sampler/softmax_piece.hpp"

namespace tacit::inline v1::sampler {

namespace {

constexpr std::size_t records_in_part = 4096;

std::size_t classes_of(const Problem& problem) {
  const auto* softmax = std::get_if<Softmax>(&problem.loss);
  return softmax ? softmax->classes : 2;
}

}  // namespace

RecordsHere::RecordsHere(const Problem& problem, const LossLimits& limits, double inverse_temperature,
                         unsigned threads)
    : RecordSums(problem),
      problem_(&problem),
      classes_(std::holds_alternative<Softmax>(problem.loss)),
      softmax_(classes_of(problem)),
      inverse_temperature_(inverse_temperature),
      threads_(threads == 0 ? default_threads() : threads) {
  const auto* link = std::get_if<Link>(&problem.loss);
  RowRoom room;
  pieces_.reserve(problem.data->size());
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    const double norm = row_norm(problem.data->features.row(i, room), problem.intercept),
                 label = problem.data->labels[i];
    pieces_.push_back(link ? piece_of(*link, limits, norm, label) : softmax_piece(limits, norm, label));
  }
}

RiseSums RecordsHere::rises_between(std::size_t begin, std::size_t end, const Vector& theta) const {
  RiseSums total;
  std::vector<double> z(classes_ ? softmax_.outputs() : 1);
  for (std::size_t i = begin; i < end;) {
    RiseSums block;
    for (const std::size_t stop = std::min(end, i + rise_block); i < stop; ++i) {
      if (pieces_[i].kind == Piece::Kind::nothing) continue;
      scores(*problem_, i, theta, z);
      const Rise at = classes_ ? softmax_rise(softmax_, pieces_[i], z) : rise(pieces_[i], z[0]);
      block += {at.value, std::fabs(at.value), at.error};
    }
    total += block;
  }
  return total;
}

RiseSums RecordsHere::rises(const Vector& theta) {
  const OrderedParts parts(pieces_.size(), records_in_part);
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(threads_, parts.parts));
  std::vector<RiseSums> slots(threads);
  RiseSums total;
  in_order(
      parts, threads,
      [&](std::size_t begin, std::size_t end, std::size_t slot) {
        slots[slot] = rises_between(begin, end, theta);
      },
      [&](std::size_t slot) { total += slots[slot]; });
  return total;
}

Interval RecordsHere::rises(std::span<const Interval> theta, long precision) {
  const std::size_t columns = problem_->data->features.columns(),
                    features = theta.size() / (classes_ ? softmax_.outputs() : 1);
  Interval sum(0, precision);
  RowRoom room;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].kind == Piece::Kind::nothing) continue;
    const RowView row = problem_->data->features.row(i, room);
    std::vector<Interval> z;
    for (std::size_t start = 0; start < theta.size(); start += features) {
      Interval score(0, precision);
      for (std::size_t k = 0; k < row.size; ++k)
        score += theta[start + (row.columns ? row.columns[k] : k)] * row.values[k];
      if (problem_->intercept != 0) score += theta[start + columns] * problem_->intercept;
      z.push_back(std::move(score));
    }
    sum += classes_ ? softmax_rise(softmax_, pieces_[i], z) : rise(pieces_[i], z[0]);
  }
  return sum;
}

void RecordsHere::bound_curvatures(const Vector& point) {
  const double rounding = 1.001 * score_rounding(static_cast<std::size_t>(point.size())),
               norm = norm_up(point);
  std::vector<double> z(softmax_.outputs()), curvatures(group());
  at_.assign(rows().rows(), {});
  influences_.clear();
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].kind == Piece::Kind::nothing) continue;
    scores(*problem_, i, point, z);
    const double error = rounding * pieces_[i].norm * norm;
    if (!classes_) {
      at_[i] = curvature_bound(pieces_[i], z[0], error);
      continue;
    }
    pair_curvatures(softmax_, pieces_[i], z, error, curvatures);
    for (std::size_t q = 0; q < group(); ++q)
      at_[i * group() + q] = {.curvature = curvatures[q], .decay = 1, .tilt = 1};
  }
}

void RecordsHere::measure_influences(const Matrix& transform) {
  influences_.resize(at_.size());
  for (std::size_t begin = 0; begin < at_.size(); begin += rows().block()) {
    const Matrix x = transform.transpose() * rows()(begin);
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      const std::size_t row = begin + static_cast<std::size_t>(i);
      influences_[row] =
          at_[row].curvature == 0 ? infinity : x.col(i).norm() * std::sqrt(at_[row].decay + at_[row].kink);
    }
  }
}

std::size_t RecordsHere::keep(double most_influence) {
  most_influence_ = most_influence;
  std::size_t count = 0;
  for (std::size_t row = 0; row < at_.size(); ++row) count += kept(row) ? 1 : 0;
  return count;
}

double RecordsHere::weight_of(std::size_t row, Weight weight) const {
  const CurvatureBound& at = at_[row];
  if (!kept(row) || at.curvature == 0) return 0;
  const double g = std::fmax(0.0, mul_down(inverse_temperature_, at.curvature));
  switch (weight) {
    case Weight::curvature:
      return g;
    case Weight::decay:
      return g * at.decay;  // 0 or 1
    case Weight::tilt:
      return at.tilt > 0 ? mul_up(g * at.decay, mul_up(at.tilt, at.tilt)) : 0;
    case Weight::kink:
      return at.kink > 0 ? mul_up(g, at.kink) : 0;
    case Weight::tilted_kink:
      return at.tilted_kink > 0 ? mul_up(g, at.tilted_kink) : 0;
  }
  return 0;
}

double RecordsHere::norm_of(std::size_t row) const {
  const double norm = pieces_[row / group()].norm;
  return classes_ ? 1.4143 * norm : norm;  // ‖V_k − V_l‖ is √2 up to rounding
}

template <class Fill>
Matrix RecordsHere::outer_products(Eigen::Index size, Fill&& fill) const {
  Matrix sum = Matrix::Zero(size, size), columns;
  for (std::size_t begin = 0; begin < at_.size(); begin += rows().block()) {
    fill(begin, rows()(begin), columns);
    sum.selfadjointView<Eigen::Lower>().rankUpdate(columns);
  }
  return sum.selfadjointView<Eigen::Lower>();
}

SecondSums RecordsHere::second() {
  SecondSums sums;
  const auto d = static_cast<Eigen::Index>(shape_of(*problem_).parameters());
  sums.value = outer_products(d, [&](std::size_t begin, const Matrix& block, Matrix& columns) {
    columns = block;
    for (Eigen::Index i = 0; i < columns.cols(); ++i) {
      const std::size_t row = begin + static_cast<std::size_t>(i);
      const double weight = weight_of(row, Weight::curvature), norm = norm_of(row);
      if (weight == 0)
        columns.col(i).setZero();
      else
        columns.col(i) *= std::sqrt(weight);
      sums.size += weight == 0 ? 0 : weight * norm * norm;
    }
  });
  return sums;
}

double RecordsHere::fourth_size(Weight weight) {
  double sum = 0;
  for (std::size_t row = 0; row < at_.size(); ++row)
    if (const double w = weight_of(row, weight); w != 0) sum += w * std::pow(norm_of(row), 4);
  return sum;
}

Matrix RecordsHere::fourth_tensor(Weight weight, const Matrix& transform) {
  const Eigen::Index d = transform.cols();
  return outer_products(packed_size(d), [&](std::size_t begin, const Matrix& block, Matrix& columns) {
    const Matrix x = transform.transpose() * block;
    columns.resize(packed_size(d), x.cols());
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      const double root = std::sqrt(weight_of(begin + static_cast<std::size_t>(i), weight));
      if (root == 0) {
        columns.col(i).setZero();
        continue;
      }
      for (Eigen::Index j = 0, at = 0; j < d; ++j)
        for (Eigen::Index k = j; k < d; ++k, ++at)
          columns(at, i) = root * (j == k ? 1.0 : std::sqrt(2.0)) * x(j, i) * x(k, i);
    }
  });
}

Matrix RecordsHere::fourth_spread(Weight weight, const Matrix& transform) {
  const auto size = static_cast<Eigen::Index>(group());
  return outer_products(transform.cols(), [&](std::size_t begin, const Matrix& block, Matrix& columns) {
    columns = transform.transpose() * block;
    double longest = 0;
    for (Eigen::Index i = 0; i < columns.cols(); ++i) {
      // Before the first of a group is scaled; rows of weight 0 count too.
      if (i % size == 0) longest = columns.middleCols(i, size).colwise().norm().maxCoeff();
      const double w = weight_of(begin + static_cast<std::size_t>(i), weight);
      if (w == 0)
        columns.col(i).setZero();
      else
        columns.col(i) *= std::sqrt(w) * longest;
    }
  });
}

}  // namespace tacit::inline v1::sampler
