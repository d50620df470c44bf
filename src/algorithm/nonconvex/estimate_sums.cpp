#include "algorithm/nonconvex/estimate_sums.hpp"

#include "solver/batch_pass.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

std::uint64_t draw_word(BitSource& bits) {
  std::uint64_t word = 0;
  bits.fill({&word, 1});
  return word;
}

EstimatorTerms terms_of(const Plan& plan, const Options& options, BitSource& bits) {
  return {options.estimate, plan.sizes.smoothing, options.lipschitz, plan.sizes.directions, draw_word(bits)};
}

}  // namespace

EstimateSums::EstimateSums(const RecordLoss& loss, const Plan& plan, const Options& options, BitSource& bits)
    : terms_(terms_of(plan, options, bits)),
      estimator_(terms_.of(loss)),
      parameters_(loss.parameters),
      threads_(options.threads),
      planned_for_(options.pass == Pass::sampled ? Neighbours::zero_out : options.neighbours) {}

void EstimateSums::ask(std::shared_ptr<Shards> shards, const PartTerms& parts) {
  MessageWriter settings;
  settings.put(terms_.estimate).put(terms_.smoothing).put(terms_.lipschitz);
  settings.put(terms_.directions).put(terms_.key);
  put(settings, parts);
  shards_ = std::make_unique<RemotePass>(std::move(shards), "smoothed gradients", settings);
}

Sensitive<Vector> EstimateSums::gradient(const Vector& z, const BatchMembers& batch, const NoisySum& sum) {
  return summed(z, nullptr, batch, sum, sum.clip);
}

Sensitive<Vector> EstimateSums::change(const Vector& z, const Vector& before, const BatchMembers& batch,
                                       const NoisySum& sum, const Clip& clip) {
  return summed(z, &before, batch, sum, clip);
}

Sensitive<Vector> EstimateSums::summed(const Vector& z, const Vector* before, const BatchMembers& batch,
                                       const NoisySum& sum, const Clip& clip) {
  Vector total;
  if (shards_) {
    MessageWriter question;
    question.put(z).put(before ? *before : Vector()).put(first_slot_);
    question.put(batch.part.has_value()).put(batch.part.value_or(0)).put(batch.rate);
    put(question, clip);
    shards_->sum(question, parameters_, total);
  } else {
    const RecordGradient contribution = [&](const Vector&, std::size_t k, std::span<double> out) {
      const std::size_t record = batch.record_of.empty() ? k : batch.record_of[k];
      const std::size_t slot = batch.slot_of.empty() ? k : batch.slot_of[k];
      estimate_at(estimator_, z, before, record, first_slot_ + slot, out);
    };
    clipped_sums(contribution, parameters_, clip, threads_)({}, batch.members, total);
  }
  first_slot_ += batch.slots;
  return {std::move(total), sum.sensitivity, planned_for_};
}

Released<Vector> moved_on(const Released<Vector>& last, double kappa, const Released<Vector>& change) {
  return combine([](const Vector& g, double k, const Vector& unit) { return Vector(g + k * unit); }, last,
                 Public(kappa), change);
}

}  // namespace tacit::inline v1::nonconvex
