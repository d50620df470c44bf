#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "data/row_reader.hpp"
#include "loss/limited.hpp"
#include "loss/softmax.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1 {

struct LossLimits;

// One record with its limits, as a pass comes to it.
struct LimitedRecord {
  RowView row;
  double label = 0;
  Limits limits{};    // of a link
  double weight = 0;  // of softmax
  double part = 1;    // what a link's loss is multiplied with, in [0, 1]
  bool nothing =
      true;  // it contributes nothing: its row is 0 or not in the blocks' plane, or its limits are 0
};

// The limited losses of single records, and their derivatives in the scores. What a record's limits are
// follows from its row alone: they are kept for rows in memory, and made again with rows that are. The
// problem must outlive it.
class LimitedRecords {
 public:
  LimitedRecords(const Problem& problem, const LossLimits& limits, double label_bound, unsigned threads);

  // The view of its row holds until the room is used again.
  LimitedRecord at(std::size_t i, RowRoom& room) const;

  // Per output: the derivative in that output's score; for one output also the curvature.
  void gradient(const LimitedRecord& record, const double* z, double* slopes, double* curvature) const {
    if (softmax_) return softmax_gradient(record, z, slopes, curvature);
    const LinkSlope at = slope(link_, softened(record.limits), *z, record.label);
    *slopes = record.part * at.first;
    *curvature = record.part * at.second;
  }
  void curvature(const LimitedRecord& record, const double* z, const double* direction, double* result) const;

  // Replaces Q by factor·Q, for links.
  void soften(double factor) { softness_ = factor; }

 private:
  void limit(LimitedRecord& record) const;
  double label(std::size_t i) const {
    const double y = labels_[i];
    return link_.kind == LinkKind::poisson ? std::fmin(y, label_bound_) : y;
  }
  void softmax_gradient(const LimitedRecord& record, const double* z, double* slopes,
                        double* curvature) const;
  std::span<const double> probabilities(const double* z) const;  // until the next call of this thread
  Limits softened(const Limits& limits) const { return {limits.slope, softness_ * limits.curvature}; }

  const Problem* problem_;
  RowReader rows_;
  const double *labels_, *parts_;  // no parts: null
  Link link_{};                    // unless it is softmax
  double slope_, curvature_;
  FeatureBlocks blocks_;
  double label_bound_;  // Poisson's rounding bound holds up to it: larger labels count as the bound
  double softness_ = 1;
  std::size_t outputs_;
  std::optional<SoftmaxLoss> softmax_;
  std::vector<Limits> limits_;   // of records in memory: for links,
  std::vector<double> weights_;  // for softmax
};

inline LimitedRecord LimitedRecords::at(std::size_t i, RowRoom& room) const {
  LimitedRecord record{.row = rows_.row(i, room), .label = label(i)};
  if (!weights_.empty())
    record.weight = weights_[i];
  else if (!limits_.empty())
    record.limits = limits_[i];
  else
    limit(record);
  if (parts_ != nullptr) record.part = parts_[i];
  // The rounded product is the weight that softmax has: no larger than before, and a function of the record.
  record.weight *= record.part;
  record.nothing = softmax_ ? record.weight == 0 : record.limits.slope == 0 || record.part == 0;
  return record;
}

}  // namespace tacit::inline v1
