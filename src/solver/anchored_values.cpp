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

double anchored_sum_error(std::size_t records, double bound, std::size_t shards) {
  return mul_up(gamma_bound(blocked_sum_depth(records, block) + joining_depth(shards)),
                mul_up(static_cast<double>(records), bound));
}

AnchoredValues::AnchoredValues(const Problem& problem, const LossLimits& limits, const Vector& anchor,
                               double bound, double label_bound, unsigned threads)
    : problem_(&problem),
      shape_(shape_of(problem)),
      bound_(bound),
      label_bound_(label_bound),
      threads_(threads == 0 ? default_threads() : threads) {
  const auto* softmax = std::get_if<Softmax>(&problem.loss);
  if (problem.data->shards) {
    MessageWriter settings;
    settings.put(limits.slope).put(limits.curvature).put(anchor).put(bound).put(label_bound);
    shards_ = std::make_unique<RemotePass>(problem.data->shards, "anchored values", settings);
    return;
  }
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
  if (!shards_) return sum_here(w);
  Vector total;
  shards_->sum(MessageWriter().put(w), 1, total);
  return total[0];
}

double AnchoredValues::sum_here(const Vector& w) const {
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

namespace {

class AnchoredValuesPass final : public ShardPass {
 public:
  AnchoredValuesPass(const ShardRecords& records, const LossLimits& limits, const Vector& anchor,
                     double bound, double label_bound)
      : values_(*records.problem, limits, anchor, bound, label_bound, records.threads) {}

  void answer(MessageReader& question, MessageWriter& answer) override {
    answer.put(Vector(Vector::Constant(1, values_.sum(question.vector()))));
  }

 private:
  AnchoredValues values_;
};

std::unique_ptr<ShardPass> make_anchored_values_pass(const ShardRecords& records, MessageReader& settings) {
  const LossLimits limits{.slope = settings.get<double>(), .curvature = settings.get<double>()};
  const Vector anchor = settings.vector();
  const auto bound = settings.get<double>(), label_bound = settings.get<double>();
  return std::make_unique<AnchoredValuesPass>(records, limits, anchor, bound, label_bound);
}

}  // namespace

PassKind anchored_values_pass() { return {"anchored values", make_anchored_values_pass}; }

}  // namespace tacit::inline v1
