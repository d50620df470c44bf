#pragma once

#include <vector>

#include "loss/softmax.hpp"
#include "sampler/piece.hpp"
#include "sampler/record_sums.hpp"

namespace tacit::inline v1::sampler {

// Of records that are here: of all, or of one shard. The parts of a sum depend on the number of records
// alone, never on that of the threads.
class RecordsHere final : public RecordSums {
 public:
  RecordsHere(const Problem& problem, const LossLimits& limits, double inverse_temperature, unsigned threads);

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
  RiseSums rises_between(std::size_t begin, std::size_t end, const Vector& theta) const;
  bool kept(std::size_t row) const { return influences_.empty() || influences_[row] <= most_influence_; }
  double weight_of(std::size_t row, Weight weight) const;  // 0 for rows that are not kept
  double norm_of(std::size_t row) const;                   // rounded up
  // Σ of the outer products of columns, which `fill` makes of the rows of each block.
  template <class Fill>
  Matrix outer_products(Eigen::Index size, Fill&& fill) const;

  const Problem* problem_;
  bool classes_;
  SoftmaxLoss softmax_;
  double inverse_temperature_;
  unsigned threads_;
  std::vector<Piece> pieces_;
  std::vector<CurvatureBound> at_;  // of each row
  std::vector<double> influences_;  // of each row, once measured
  double most_influence_ = 0;
};

}  // namespace tacit::inline v1::sampler
