#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "solver/limited_objective.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Σ φᵢ(w) − φᵢ(anchor) with limited losses φᵢ, each record's part clamped to ±bound: the part is bitwise a
// function of the record, w and the anchor, and only the sum is rounded. The problem must outlive it.
class TACIT_API AnchoredValues {
 public:
  AnchoredValues(const Problem& problem, const LossLimits& limits, const Vector& anchor, double bound,
                 double label_bound, unsigned threads);

  double sum(const Vector& w) const;

 private:
  double value(std::size_t record, const Vector& w) const;
  double sum_here(const Vector& w) const;

  const Problem* problem_;
  Shape shape_;
  double bound_;
  double label_bound_;
  unsigned threads_;
  std::vector<Limits> limits_;   // per record, for links; slope 0: the record contributes nothing
  std::vector<double> weights_;  // per record, for softmax; 0 likewise
  std::optional<SoftmaxLoss> softmax_;
  std::vector<double> at_anchor_;
  std::unique_ptr<RemotePass> shards_;  // who hold the records, where they are not here
};

// How a shard answers for its records.
PassKind anchored_values_pass();

// How far the computed sum may be from the exact sum of the parts.
TACIT_API double anchored_sum_error(std::size_t records, double bound, std::size_t shards = 1);

}  // namespace tacit::inline v1
