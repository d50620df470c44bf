#include "solver/limited_records.hpp"

#include <cmath>

#include "core/parallel.hpp"
#include "solver/limited_objective.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

LimitedRecords::LimitedRecords(const Problem& problem, const LossLimits& limits, double label_bound,
                               unsigned threads)
    : problem_(&problem),
      slope_(limits.slope),
      curvature_(limits.curvature),
      blocks_(limits.blocks),
      label_bound_(label_bound),
      outputs_(shape_of(problem).outputs) {
  const auto* softmax = std::get_if<Softmax>(&problem.loss);
  if (softmax) softmax_.emplace(softmax->classes);
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

LimitedRecord LimitedRecords::at(std::size_t i, RowRoom& room) const {
  LimitedRecord record{.row = problem_->data->features.row(i, room), .label = label(i)};
  if (!weights_.empty())
    record.weight = weights_[i];
  else if (!limits_.empty())
    record.limits = limits_[i];
  else
    limit(record);
  if (!problem_->data->weights.empty()) record.part = problem_->data->weights[i];
  // The rounded product is the weight that softmax has: no larger than before, and a function of the record.
  record.weight *= record.part;
  record.nothing = softmax_ ? record.weight == 0 : record.limits.slope == 0 || record.part == 0;
  return record;
}

// Poisson's rounding bound holds for labels up to a public bound; larger ones count as the bound.
double LimitedRecords::label(std::size_t i) const {
  const double y = problem_->data->labels[i];
  const auto* link = std::get_if<Link>(&problem_->loss);
  return link && link->kind == LinkKind::poisson ? std::fmin(y, label_bound_) : y;
}

std::span<const double> LimitedRecords::probabilities(const double* z) const {
  thread_local std::vector<double> p;
  p.resize(softmax_->classes());
  softmax_->probabilities({z, outputs_}, p);
  return p;
}

void LimitedRecords::gradient(const LimitedRecord& record, const double* z, double* slopes,
                              double* curvature) const {
  if (!softmax_) {
    const LinkSlope at = slope(std::get<Link>(problem_->loss), softened(record.limits), *z, record.label);
    *slopes = record.part * at.first;
    *curvature = record.part * at.second;
    return;
  }
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
    const LinkSlope at = slope(std::get<Link>(problem_->loss), softened(record.limits), *z, record.label);
    *result = record.part * at.second * *direction;
    return;
  }
  const std::span<const double> p = probabilities(z);
  softmax_->curvature(p, {direction, outputs_}, {result, outputs_});
  for (std::size_t k = 0; k < outputs_; ++k) result[k] *= record.weight;
}

}  // namespace tacit::inline v1
