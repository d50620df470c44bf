#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "algorithm/nonconvex/estimator.hpp"
#include "algorithm/nonconvex/plan.hpp"
#include "solver/clipped_sums.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::nonconvex {

// Which records a sum is over, and which directions each of them gets. A slot is a place in the run, fixed
// without a look at any record: it has directions of its own.
struct BatchMembers {
  std::span<const std::uint32_t> members;
  std::span<const std::size_t> record_of;  // member k is this record; empty: record k
  std::span<const std::size_t> slot_of;    // member k has this slot of the batch; empty: slot k
  std::size_t slots = 0;                   // of this batch: the next batch's come after them
};

// Sums over a batch of clipped estimates.
class EstimateSums {
 public:
  EstimateSums(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter);

  Sensitive<Vector> gradient(const Vector& z, const BatchMembers& batch, const NoisySum& sum);
  Sensitive<Vector> change(const Vector& z, const Vector& before, const BatchMembers& batch,
                           const NoisySum& sum, const Clip& clip);

 private:
  using Estimate = std::function<void(std::size_t record, std::uint64_t slot, std::span<double> out)>;
  Sensitive<Vector> summed(const BatchMembers& batch, const NoisySum& sum, const Clip& clip,
                           const Estimate& estimate);

  BallEstimator estimator_;
  std::size_t parameters_;
  unsigned threads_;
  Meter* meter_;
  std::uint64_t first_slot_ = 0;
};

// g̃_t = g̃_{t−1} + κ·(the change in units of κ).
Released<Vector> moved_on(const Released<Vector>& last, double kappa, const Released<Vector>& change);

}  // namespace tacit::inline v1::nonconvex
