#include "solver/limited_records.hpp"

#include "core/parallel.hpp"
#include "solver/limited_objective.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

LimitedRecords::LimitedRecords(const Problem& problem, const LossLimits& limits, double label_bound,
                               unsigned threads)
    : problem_(&problem),
      rows_(problem.data->features),
      labels_(problem.data->labels.data()),
      parts_(problem.data->weights.empty() ? nullptr : problem.data->weights.data()),
      slope_(limits.slope),
      curvature_(limits.curvature),
      blocks_(limits.blocks),
      label_bound_(label_bound),
      outputs_(shape_of(problem).outputs) {
  const auto* softmax = std::get_if<Softmax>(&problem.loss);
  if (softmax)
    softmax_.emplace(softmax->classes);
  else
    link_ = std::get<Link>(problem.loss);
  const Features& features = problem.data->features;
  if (!features.in_memory()) return;
  (softmax ? weights_.resize(features.rows()) : limits_.resize(features.rows()));
  parallel_parts(features.rows(), threads, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      LimitedRecord record{.row = features.row(i)};
      limit(record);
      if (softmax)
        weights_[i] = record.weight;
      else
        limits_[i] = record.limits;
    }
  });
}

void LimitedRecords::limit(LimitedRecord& record) const {
  const double norm = row_norm(record.row, problem_->intercept);
  if (norm == 0) return;  // contributes nothing: a weight, or limits, of 0
  // Noise in a plane covers gradients in it: a record elsewhere, which no encoder makes, is taken for null.
  if (blocks_.in_plane() && !blocks_.holds(record.row, problem_->intercept)) return;
  const double gauge = blocks_.empty() ? norm : blocks_.gauge(record.row, problem_->intercept);
  if (softmax_)
    record.weight = SoftmaxLoss::weight(slope_, curvature_, gauge, norm);
  else
    record.limits = limits_of_record(slope_, curvature_, gauge, norm);
}

std::span<const double> LimitedRecords::probabilities(const double* z) const {
  thread_local std::vector<double> p;
  p.resize(softmax_->classes());
  softmax_->probabilities({z, outputs_}, p);
  return p;
}

void LimitedRecords::softmax_gradient(const LimitedRecord& record, const double* z, double* slopes,
                                      double* curvature) const {
  const std::span<const double> p = probabilities(z);
  softmax_->gradient(p, static_cast<std::size_t>(record.label), {slopes, outputs_});
  for (std::size_t k = 0; k < outputs_; ++k) slopes[k] *= record.weight;
  if (outputs_ == 1) {
    constexpr double one = 1;
    softmax_->curvature(p, {&one, 1}, {curvature, 1});
    *curvature *= record.weight;
  }
}

void LimitedRecords::curvature(const LimitedRecord& record, const double* z, const double* direction,
                               double* result) const {
  if (!softmax_) {
    const LinkSlope at = slope(link_, softened(record.limits), *z, record.label);
    *result = record.part * at.second * *direction;
    return;
  }
  const std::span<const double> p = probabilities(z);
  softmax_->curvature(p, {direction, outputs_}, {result, outputs_});
  for (std::size_t k = 0; k < outputs_; ++k) result[k] *= record.weight;
}

}  // namespace tacit::inline v1
