#include "tacit/data/blocks.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/core/error.hpp"
#include "tacit/core/rounding.hpp"

namespace tacit::inline v1 {

FeatureBlocks::FeatureBlocks(std::vector<FeatureBlock> blocks) : blocks_(std::move(blocks)) {
  double squares = 0;
  for (std::size_t j = 0; j < blocks_.size(); ++j) {
    const auto [size, bound] = blocks_[j];
    if (size == 0) throw_error<UsageError>("block {} has no features, expected at least 1", j + 1);
    if (!(bound >= 0x1p-100 && bound <= 0x1p100))
      throw_error<UsageError>("block {} has the bound {}, expected 2^-100 to 2^100", j + 1, bound);
    features_ += size;
    largest_bound_ = std::max(largest_bound_, bound);
    squares = add_up(squares, mul_up(bound, bound));
  }
  l2_bound_ = sqrt_up(squares);
}

namespace {

// A sum of m numbers ≥ 0 in doubles is at least (1 − γ_m) of the real one, and 1/(1 − γ_m) ≤ 1 + γ_2m.
double sum_up(double sum, std::size_t terms) { return mul_up(sum, add_up(1.0, gamma_bound(2 * terms))); }

}  // namespace

double FeatureBlocks::gauge(const RowView& row, double intercept) const {
  double most = 0;
  std::size_t k = 0, end = 0;
  for (const FeatureBlock& block : blocks_) {
    end += block.size;
    double sum = 0;
    for (; k < row.size && (row.columns == nullptr ? k : row.columns[k]) < end; ++k)
      sum += std::fabs(row.values[k]);
    most = std::max(most, div_up(sum_up(sum, block.size), block.bound));
  }
  if (intercept != 0) most = std::max(most, div_up(std::fabs(intercept), blocks_.back().bound));
  return most;
}

double FeatureBlocks::gauge(std::span<const double> parameters, std::size_t outputs) const {
  double most = 0;
  std::size_t l = 0;
  for (const FeatureBlock& block : blocks_) {
    double sum = 0;
    for (const std::size_t end = l + block.size; l < end; ++l) {
      double length = std::fabs(parameters[l]);
      for (std::size_t o = 1; o < outputs; ++o) length = std::hypot(length, parameters[o * features_ + l]);
      sum += length;
    }
    // glibc's hypot is within 1 ulp: two roundings.
    most = std::max(most, div_up(sum_up(sum, block.size + 2 * outputs), block.bound));
  }
  return most;
}

double FeatureBlocks::mean_square(std::size_t outputs) const {
  // b = T·U, T ~ Gamma(rp + 1) and U uniform in K: a block's radii are Dirichlet(r, …, r, 1).
  const double r = static_cast<double>(outputs), parameters = r * static_cast<double>(features_);
  double sum = 0;
  for (const FeatureBlock& block : blocks_) {
    const double k = static_cast<double>(block.size);
    sum += block.bound * block.bound * k * r * (r + 1) / ((k * r + 1) * (k * r + 2));
  }
  return (parameters + 1) * (parameters + 2) * sum;
}

}  // namespace tacit::inline v1
