#include <memory>
#include <optional>

#include "algorithm/nonconvex/estimate_sums.hpp"
#include "algorithm/nonconvex/o2nc.hpp"
#include "algorithm/partition.hpp"
#include "noise/poisson_gaussian.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

// All releases of one kind, within the step that was planned for them.
class SampledReleases {
 public:
  SampledReleases(const Step& charged, const NoisySum& sum, Meter& meter)
      : own_(meter.child(charged)), mechanism_(charged, sum.range, own_) {}

  std::span<const std::uint32_t> draw(std::size_t records) { return mechanism_.draw(records); }
  double begin_batch() { return mechanism_.begin_batch(); }
  Released<Vector> release(const Sensitive<Vector>& sum) { return mechanism_.release(sum); }

 private:
  Meter own_;
  noise::PoissonGaussian mechanism_;
};

// Algorithm 4 over Poisson batches [docs/o2nc.md, "Sampled batches"]. Notation: g̃_{t−1} = last_.
class Sampled {
 public:
  Sampled(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter,
          std::shared_ptr<Shards> shards)
      : plan_(plan),
        options_(options),
        records_(loss.records),
        parameters_(loss.parameters),
        sums_(loss, plan, options, meter.bits()),
        slots_(shards ? std::vector<std::size_t>() : secret_order(plan.records, meter.bits())),
        starts_(plan.release, plan.start, meter) {
    if (shards) sums_.ask(std::move(shards));
    if (plan.changes) changes_.emplace(*plan.changes, plan.change, meter);
  }

  Released<Vector> operator()(const Vector& z) {
    const bool fresh = taken_++ % plan_.sizes.period == 0;
    last_ = fresh ? begin_period(z) : go_on(z);
    before_ = z;
    return *last_;
  }

 private:
  Released<Vector> begin_period(const Vector& z) {
    return starts_.release(sums_.gradient(z, joined(starts_), plan_.start));
  }

  // The change is released in units of its clip norm κ, which is public: so is ‖z_t − z_{t−1}‖.
  Released<Vector> go_on(const Vector& z) {
    const double kappa = clip_norm_at((z - before_).norm(), parameters_, plan_.sizes, options_);
    Clip clip = plan_.change.clip;
    clip.norm = kappa;
    return moved_on(*last_, kappa,
                    changes_->release(sums_.change(z, before_, joined(*changes_), plan_.change, clip)));
  }

  // A record has a secret slot of its own among all N, null ones included: whether another record is there
  // does not move it.
  BatchMembers joined(SampledReleases& releases) const {
    if (slots_.empty()) return {.slots = plan_.records, .rate = releases.begin_batch()};
    return {releases.draw(records_), {}, slots_, plan_.records};
  }

  Plan plan_;
  Options options_;
  std::size_t records_, parameters_, taken_ = 0;
  EstimateSums sums_;
  std::vector<std::size_t> slots_;  // of records that are here
  SampledReleases starts_;
  std::optional<SampledReleases> changes_;
  Vector before_;
  std::optional<Released<Vector>> last_;
};

}  // namespace

GradientOracle sampled_oracle(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter,
                              std::shared_ptr<Shards> shards) {
  const auto oracle = std::make_shared<Sampled>(loss, plan, options, meter, std::move(shards));
  return [oracle](const Vector& z) { return (*oracle)(z); };
}

}  // namespace tacit::inline v1::nonconvex
