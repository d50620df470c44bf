#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/interval.hpp"
#include "sampler/row_blocks.hpp"
#include "sampler/target.hpp"
#include "solver/shard_pass.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

// Sums over records at a point: of φ − φ(0), of its sizes, and of bounds on the rounding of each.
struct RiseSums {
  double sum = 0, size = 0, error = 0;

  RiseSums& operator+=(const RiseSums& more);
};

// Σ g·aaᵀ as computed, and Σ g‖a‖².
struct SecondSums {
  Matrix value;
  double size = 0;
};

// What a row counts for in a sum: g ≤ γφ'' (rounded down), or g times what its curvature bound says of how it
// bends (rounded up).
enum class Weight : std::uint8_t { curvature, decay, tilt, kink, tilted_kink };

// All that the exact sampler asks of the records of its target, wherever they are: sums over them, and
// nothing random. Rows are records, or for softmax the pairs of classes of each.
class RecordSums {
 public:
  explicit RecordSums(const Problem& problem)
      : rows_(problem), shards_(problem.data->shards ? problem.data->shards->count() : 1) {}
  RecordSums(const RecordSums&) = delete;
  RecordSums& operator=(const RecordSums&) = delete;
  virtual ~RecordSums() = default;

  std::size_t records() const { return rows_.records(); }
  std::size_t group() const { return rows_.group(); }
  // How many roundings a term goes through in a sum of rises, and in one of moments: within a shard, and
  // where the shards' sums are joined.
  std::size_t rise_depth() const;
  std::size_t moment_depth() const;

  virtual RiseSums rises(const Vector& theta) = 0;
  virtual Interval rises(std::span<const Interval> theta, long precision) = 0;

  // The curvature bounds of all rows at this point: what follows is about them.
  virtual void bound_curvatures(const Vector& point) = 0;
  // How badly each row bends away from its quadratic in the coordinates x = Tᵀa: ‖x‖·√(decay + kink).
  virtual void measure_influences(const Matrix& transform) = 0;
  // Only rows of at most this influence count from now on, and they are so many. The others have no
  // curvature, which is always true.
  virtual std::size_t keep(double most_influence) = 0;

  virtual SecondSums second() = 0;
  // Σ w‖a‖⁴.
  virtual double fourth_size(Weight weight) = 0;
  // Σ w·svec(xxᵀ)svec(xxᵀ)ᵀ, x = Tᵀa, for rows without groups.
  virtual Matrix fourth_tensor(Weight weight, const Matrix& transform) = 0;
  // Σ w·max‖xⱼ‖²·xxᵀ, j over the row's group.
  virtual Matrix fourth_spread(Weight weight, const Matrix& transform) = 0;

 protected:
  const RowBlocks& rows() const { return rows_; }

 private:
  RowBlocks rows_;
  std::size_t shards_;
};

// Here, or of all shards of the target's data.
std::unique_ptr<RecordSums> record_sums(const Target& target, unsigned threads);

// How a shard answers for its records.
PassKind record_sums_pass();

// Terms of a block of a sum of rises, so that few roundings touch each.
inline constexpr std::size_t rise_block = 256;

// Of a symmetric d × d matrix's lower triangle.
inline Eigen::Index packed_size(Eigen::Index d) { return d * (d + 1) / 2; }

}  // namespace tacit::inline v1::sampler
