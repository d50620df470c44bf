#include "algorithm/nonconvex/estimate_sums.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

std::uint64_t draw_word(BitSource& bits) {
  std::uint64_t word = 0;
  bits.fill({&word, 1});
  return word;
}

}  // namespace

EstimateSums::EstimateSums(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter)
    : estimator_(loss, options.estimate, plan.sizes.smoothing, options.lipschitz, plan.sizes.directions,
                 draw_word(meter.bits())),
      parameters_(loss.parameters),
      threads_(options.threads),
      meter_(&meter) {}

Sensitive<Vector> EstimateSums::gradient(const Vector& z, const BatchMembers& batch, const NoisySum& sum) {
  return summed(batch, sum, sum.clip, [&](std::size_t record, std::uint64_t slot, std::span<double> out) {
    estimator_.gradient(z, record, slot, out);
  });
}

Sensitive<Vector> EstimateSums::change(const Vector& z, const Vector& before, const BatchMembers& batch,
                                       const NoisySum& sum, const Clip& clip) {
  return summed(batch, sum, clip, [&](std::size_t record, std::uint64_t slot, std::span<double> out) {
    estimator_.change(z, before, record, slot, out);
  });
}

Sensitive<Vector> EstimateSums::summed(const BatchMembers& batch, const NoisySum& sum, const Clip& clip,
                                       const Estimate& estimate) {
  const RecordGradient contribution = [&](const Vector&, std::size_t k, std::span<double> out) {
    const std::size_t record = batch.record_of.empty() ? k : batch.record_of[k];
    const std::size_t slot = batch.slot_of.empty() ? k : batch.slot_of[k];
    estimate(record, first_slot_ + slot, out);
  };
  Vector total;
  clipped_sums(contribution, parameters_, clip, threads_)({}, batch.members, total);
  first_slot_ += batch.slots;
  return {std::move(total), sum.sensitivity, meter_->budget().neighbours};
}

Released<Vector> moved_on(const Released<Vector>& last, double kappa, const Released<Vector>& change) {
  return combine([](const Vector& g, double k, const Vector& unit) { return Vector(g + k * unit); }, last,
                 Public(kappa), change);
}

}  // namespace tacit::inline v1::nonconvex
