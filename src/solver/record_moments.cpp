#include "solver/record_moments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/ordered_parts.hpp"
#include "solver/kernels.hpp"
#include "solver/pairwise_sum.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::size_t rows_in_moment_block = 1024;
constexpr unsigned most_moment_threads = 256;

// One record's row times a factor, its features that are not 0 alone: of the row, and the constant.
struct ScaledRow {
  std::vector<double> values;
  std::vector<std::size_t> at;

  void set(const RowView& row, double factor, std::size_t columns, double intercept) {
    values.clear();
    at.clear();
    for (std::size_t k = 0; k < row.size; ++k) add(factor * row.values[k], row.columns ? row.columns[k] : k);
    if (intercept != 0) add(factor * intercept, columns);
  }
  // Σ += vvᵀ, below the diagonal as it comes; columns ascend.
  void add_outer_product(double* triangle) const {
    for (std::size_t j = 0; j < at.size(); ++j) {
      double* row = triangle + at[j] * (at[j] + 1) / 2;
      const double scaled = values[j];
      for (std::size_t k = 0; k <= j; ++k) row[at[k]] += scaled * values[k];
    }
  }

 private:
  void add(double value, std::size_t feature) {
    if (value == 0) return;
    values.push_back(value);
    at.push_back(feature);
  }
};

// The factor of a row of norm ≤ `norm` that is at most 1/norm, whatever `wanted` is: NaN included.
double limited_factor(double wanted, double norm) { return std::fmin(wanted, div_down(1, norm)); }

void scale_triangle(double* triangle, std::size_t features, double factor) {
  for (std::size_t j = 0; j < features; ++j) {
    double* row = triangle + j * (j + 1) / 2;
    for (std::size_t k = 0; k < j; ++k) row[k] *= factor * std::numbers::sqrt2;
    row[j] *= factor;
  }
}

class MomentSums {
 public:
  MomentSums(const Problem& problem, const LossLimits& limits, double label_bound, const Vector& w,
             unsigned threads)
      : problem_(problem),
        limits_(limits),
        w_(w),
        records_(problem, limits, label_bound, threads),
        triangle_(triangle_size(shape_of(problem).features)) {}

  void add_block(std::size_t begin, std::size_t end, Vector& block) const {
    const std::size_t columns = problem_.data->features.columns();
    const double intercept = problem_.intercept;
    RowRoom room;
    ScaledRow scaled;
    block.setZero(static_cast<Eigen::Index>(2 * triangle_));
    for (std::size_t i = begin; i < end; ++i) {
      const LimitedRecord record = records_.at(i, room);
      if (record.nothing) continue;
      const double z = kernels::dot(record.row, w_.data(), columns, intercept);
      double slope = 0, curvature = 0;
      records_.gradient(record, &z, &slope, &curvature);
      const double norm = row_norm(record.row, intercept);
      scaled.set(record.row, limited_factor(std::sqrt(curvature / limits_.curvature), norm), columns,
                 intercept);
      scaled.add_outer_product(block.data());
      scaled.set(record.row, limited_factor(std::fabs(slope) / limits_.gradient_norm(), norm), columns,
                 intercept);
      scaled.add_outer_product(block.data() + triangle_);
    }
  }

 private:
  const Problem& problem_;
  const LossLimits& limits_;
  const Vector& w_;
  LimitedRecords records_;
  std::size_t triangle_;
};

}  // namespace

std::size_t triangle_size(std::size_t features) { return features * (features + 1) / 2; }

Matrix from_triangle(const double* triangle, std::size_t features) {
  const auto p = static_cast<Eigen::Index>(features);
  Matrix made(p, p);
  for (Eigen::Index j = 0; j < p; ++j)
    for (Eigen::Index k = 0; k <= j; ++k) {
      const double entry = *triangle++;
      made(j, k) = made(k, j) = k < j ? entry / std::numbers::sqrt2 : entry;
    }
  return made;
}

Vector record_moments(const Problem& problem, const LossLimits& limits, double label_bound, const Vector& w,
                      double weight, unsigned threads) {
  const std::size_t n = problem.data->size(), features = shape_of(problem).features;
  const std::size_t blocks = (n + rows_in_moment_block - 1) / rows_in_moment_block;
  const unsigned workers = std::min(threads == 0 ? default_threads() : threads, most_moment_threads);
  const MomentSums sums(problem, limits, label_bound, w, workers);
  const auto size = static_cast<Eigen::Index>(2 * triangle_size(features));
  std::vector<PairwiseSum> parts(workers);
  PairwiseSum total;
  Vector share;
  in_order(
      OrderedParts(blocks, 2), workers,
      [&](std::size_t begin, std::size_t end, std::size_t slot) {
        Vector block;
        for (std::size_t b = begin; b < end; ++b) {
          sums.add_block(b * rows_in_moment_block, std::min(n, (b + 1) * rows_in_moment_block), block);
          parts[slot].add(block);
        }
      },
      [&](std::size_t slot) {
        parts[slot].take_total(size, share);
        total.add(share);
      });
  Vector moments;
  total.take_total(size, moments);
  scale_triangle(moments.data(), features, 1);
  scale_triangle(moments.data() + triangle_size(features), features, weight);
  return moments;
}

double record_moments_rounding(std::size_t records, std::size_t features, double weight) {
  // A term: the product with the row's factor, twice, their product, the sum within a block, two passes
  // through the pairwise levels of a part, the parts pairwise (at most 7 levels of 64), and the last factor,
  // itself rounded twice.
  const std::size_t levels = static_cast<std::size_t>(std::bit_width(records));
  const double gamma = gamma_bound(rows_in_moment_block + 2 * levels + 24);
  // ‖Σ|v||v|ᵀ‖ ≤ n in the Frobenius norm, and so for u. What underflows is below 2^-1000 in all.
  // To spare: the i-th sum of a block is at most i, not the whole block, so that its additions cost u·1024²/2
  // and half of `rows_in_moment_block` would do; a quarter of the whole bound is reached
  // (RecordMoments.AreAsFarOffAsAQuarterOfTheirBound).
  const double both = sqrt_up(add_up(1, mul_up(weight, weight)));
  const double n = static_cast<double>(records);
  return add_up(mul_up(gamma, mul_up(n, both)), mul_up(n * static_cast<double>(features), 0x1p-1000));
}

}  // namespace tacit::inline v1
