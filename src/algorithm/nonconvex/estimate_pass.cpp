#include <numeric>
#include <optional>
#include <vector>

#include "algorithm/nonconvex/estimate_sums.hpp"
#include "noise/poisson_gaussian.hpp"
#include "solver/batch_pass.hpp"

// Sums of smoothed gradients over the records of a shard.

namespace tacit::inline v1::nonconvex {

namespace {

class EstimatePass final : public ShardPass {
 public:
  EstimatePass(const ShardRecords& records, const EstimatorTerms& terms, const PartTerms& parts)
      : records_(records),
        loss_(record_loss(*records.problem)),
        estimator_(terms.of(loss_)),
        slots_(loss_.records),
        everyone_(loss_.records) {
    records.bits->fill(slots_);
    std::iota(everyone_.begin(), everyone_.end(), 0u);
    if (!parts.sizes.empty()) parts_.emplace(records, parts);
  }

  void answer(MessageReader& question, MessageWriter& answer) override {
    const Vector z = question.vector(), before = question.vector();
    const auto first_slot = question.get<std::uint64_t>();
    const std::span<const std::uint32_t> members = batch(question);
    const Clip clip = get_clip(question);
    const RecordGradient contribution = [&](const Vector&, std::size_t record, std::span<double> out) {
      estimate_at(estimator_, z, before.size() == 0 ? nullptr : &before, record, first_slot + slots_[record],
                  out);
    };
    Vector sum;
    clipped_sums(contribution, loss_.parameters, clip, records_.threads)({}, members, sum);
    answer.put(sum);
  }

 private:
  std::span<const std::uint32_t> batch(MessageReader& question) {
    const bool of_part = question.get<bool>();
    const auto part = question.get<std::size_t>();
    const auto rate = question.get<double>();
    if (of_part) return parts_.value().rows(part);
    if (rate == 1) return everyone_;
    noise::poisson_batch(loss_.records, rate, *records_.bits, members_);
    return members_;
  }

  ShardRecords records_;
  RecordLoss loss_;
  BallEstimator estimator_;
  std::vector<std::uint64_t> slots_;
  std::vector<std::uint32_t> everyone_, members_;
  std::optional<OwnParts> parts_;
};

}  // namespace

PassKind estimate_sums_pass() {
  return {"smoothed gradients", [](const ShardRecords& records, MessageReader& settings) {
            EstimatorTerms terms;
            terms.estimate = settings.get<Estimate>();
            terms.smoothing = settings.get<double>();
            terms.lipschitz = settings.get<double>();
            terms.directions = settings.get<std::size_t>();
            terms.key = settings.get<std::uint64_t>();
            const PartTerms parts = get_part_terms(settings);
            return std::unique_ptr<ShardPass>(std::make_unique<EstimatePass>(records, terms, parts));
          }};
}

}  // namespace tacit::inline v1::nonconvex
