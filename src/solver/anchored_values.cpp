#include "solver/anchored_values.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::size_t block = 1024;             // records added one after the other, the blocks pairwise
constexpr std::size_t blocks_for_threads = 16;  // fewer are done sooner than threads have started

double add_pairwise(std::vector<double> sums) {
  while (sums.size() > 1) {
    for (std::size_t k = 0; k < sums.size() / 2; ++k) sums[k] = sums[2 * k] + sums[2 * k + 1];
    if (sums.size() % 2 == 1) sums[sums.size() / 2] = sums.back();
    sums.resize((sums.size() + 1) / 2);
  }
  return sums.front();
}

}  // namespace

double anchored_sum_error(std::size_t records, double bound) {
  return mul_up(gamma_bound(blocked_sum_depth(records, block)), mul_up(static_cast<double>(records), bound));
}

AnchoredValues::AnchoredValues(const Problem& problem, const LossLimits& limits, const Vector& anchor,
                               double bound, double label_bound, unsigned threads)
    : problem_(&problem),
      shape_(shape_of(problem)),
      bound_(bound),
      label_bound_(label_bound),
      threads_(threads == 0 ? default_threads() : threads) {
  const auto* softmax = std::get_if<Softmax>(&problem.loss);
  if (softmax) softmax_.emplace(softmax->classes);
  RowRoom room;
  for (std::size_t i = 0; i < shape_.records; ++i) {
    const double norm = row_norm(problem.data->features.row(i, room), problem.intercept);
    if (softmax)
      weights_.push_back(norm == 0 ? 0 : SoftmaxLoss::weight(limits.slope, limits.curvature, norm));
    else
      limits_.push_back(norm == 0 ? Limits{} : limits_of_record(limits.slope, limits.curvature, norm));
  }
  for (std::size_t i = 0; i < shape_.records; ++i) at_anchor_.push_back(value(i, anchor));
}

double AnchoredValues::value(std::size_t i, const Vector& w) const {
  if (softmax_ ? weights_[i] == 0 : limits_[i].slope == 0) return 0;
  thread_local std::vector<double> z;
  z.resize(shape_.outputs);
  scores(*problem_, i, w, z);
  const double y = problem_->data->labels[i];
  if (softmax_) return weights_[i] * softmax_->value(z, static_cast<std::size_t>(y));
  const Link& link = std::get<Link>(shape_.loss);
  // As for LimitedObjective: larger counts count as the bound.
  return evaluate(link, limits_[i], z[0], link.kind == LinkKind::poisson ? std::fmin(y, label_bound_) : y)
      .value;
}

double AnchoredValues::sum(const Vector& w) const {
  const std::size_t n = shape_.records, blocks = (n + block - 1) / block;
  std::vector<double> sums(std::max<std::size_t>(blocks, 1));
  const unsigned threads = blocks < blocks_for_threads ? 1 : threads_;
  parallel_parts(blocks, threads, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t b = begin; b < end; ++b)
      for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) {
        const double moved = value(i, w) - at_anchor_[i];
        if (!std::isnan(moved)) sums[b] += std::clamp(moved, -bound_, bound_);
      }
  });
  return add_pairwise(std::move(sums));
}

}  // namespace tacit::inline v1
