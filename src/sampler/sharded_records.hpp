#pragma once

#include "sampler/record_sums.hpp"

namespace tacit::inline v1::sampler {

// Of all shards of the target's data: each shard's sums by itself, then theirs in the order of their numbers.
class ShardedRecords final : public RecordSums {
 public:
  explicit ShardedRecords(const Target& target);

  RiseSums rises(const Vector& theta) override;
  Interval rises(std::span<const Interval> theta, long precision) override;

  void bound_curvatures(const Vector& point) override;
  void measure_influences(const Matrix& transform) override;
  std::size_t keep(double most_influence) override;

  SecondSums second() override;
  double fourth_size(Weight weight) override;
  Matrix fourth_tensor(Weight weight, const Matrix& transform) override;
  Matrix fourth_spread(Weight weight, const Matrix& transform) override;

 private:
  Vector sum(const MessageWriter& question, Eigen::Index size) const;

  Eigen::Index parameters_;
  RemotePass pass_;
};

}  // namespace tacit::inline v1::sampler
