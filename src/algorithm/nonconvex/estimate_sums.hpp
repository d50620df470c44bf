#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "algorithm/nonconvex/estimator.hpp"
#include "algorithm/nonconvex/plan.hpp"
#include "algorithm/own_parts.hpp"
#include "solver/clipped_sums.hpp"
#include "solver/shard_pass.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::nonconvex {

// Which records a sum is over, and which directions each of them gets. A slot is a place in the run, fixed
// without a look at any record: it has directions of its own.
struct BatchMembers {
  std::span<const std::uint32_t> members;
  std::span<const std::size_t> record_of;  // member k is this record; empty: record k
  std::span<const std::size_t> slot_of;    // member k has this slot of the batch; empty: slot k
  std::size_t slots = 0;                   // of this batch: the next batch's come after them
  // Of records in shards instead: those of a part, or who joins by a coin of this rate.
  std::optional<std::size_t> part = {};
  double rate = 1;
};

// What makes an estimator of a loss.
struct EstimatorTerms {
  Estimate estimate = Estimate::values;
  double smoothing = 0, lipschitz = 0;
  std::size_t directions = 0;
  std::uint64_t key = 0;

  BallEstimator of(const RecordLoss& loss) const {
    return {loss, estimate, smoothing, lipschitz, directions, key};
  }
};

// One record's estimate of ∇f_α(z), or of its change since `before`.
inline void estimate_at(const BallEstimator& estimator, const Vector& z, const Vector* before,
                        std::size_t record, std::uint64_t slot, std::span<double> out) {
  if (before)
    estimator.change(z, *before, record, slot, out);
  else
    estimator.gradient(z, record, slot, out);
}

// Sums over a batch of clipped estimates.
class EstimateSums {
 public:
  EstimateSums(const RecordLoss& loss, const Plan& plan, const Options& options, BitSource& bits);
  // Of records that shards hold, divided into these parts.
  void ask(std::shared_ptr<Shards> shards, const PartTerms& parts = {});

  Sensitive<Vector> gradient(const Vector& z, const BatchMembers& batch, const NoisySum& sum);
  Sensitive<Vector> change(const Vector& z, const Vector& before, const BatchMembers& batch,
                           const NoisySum& sum, const Clip& clip);

 private:
  Sensitive<Vector> summed(const Vector& z, const Vector* before, const BatchMembers& batch,
                           const NoisySum& sum, const Clip& clip);

  EstimatorTerms terms_;
  BallEstimator estimator_;
  std::unique_ptr<RemotePass> shards_;
  std::size_t parameters_;
  unsigned threads_;
  Neighbours planned_for_;  // whom the plan's sensitivity is for
  std::uint64_t first_slot_ = 0;
};

// How a shard answers for its records. Each has a slot of its own, 64 secret bits that are drawn without a
// look at any record: no other record moves it.
PassKind estimate_sums_pass();

// g̃_t = g̃_{t−1} + κ·(the change in units of κ).
Released<Vector> moved_on(const Released<Vector>& last, double kappa, const Released<Vector>& change);

}  // namespace tacit::inline v1::nonconvex
