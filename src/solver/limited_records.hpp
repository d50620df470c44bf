#pragma once

#include <optional>
#include <span>
#include <vector>

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
  void gradient(const LimitedRecord& record, const double* z, double* slopes, double* curvature) const;
  void curvature(const LimitedRecord& record, const double* z, const double* direction, double* result) const;

  // Replaces Q by factor·Q, for links.
  void soften(double factor) { softness_ = factor; }

 private:
  void limit(LimitedRecord& record) const;
  double label(std::size_t i) const;
  std::span<const double> probabilities(const double* z) const;  // until the next call of this thread
  Limits softened(const Limits& limits) const { return {limits.slope, softness_ * limits.curvature}; }

  const Problem* problem_;
  double slope_, curvature_;
  FeatureBlocks blocks_;
  double label_bound_;
  double softness_ = 1;
  std::size_t outputs_;
  std::optional<SoftmaxLoss> softmax_;
  std::vector<Limits> limits_;   // of records in memory: for links,
  std::vector<double> weights_;  // for softmax
};

}  // namespace tacit::inline v1
