#include <memory>
#include <numeric>
#include <optional>

#include "algorithm/nonconvex/estimate_sums.hpp"
#include "algorithm/nonconvex/o2nc.hpp"
#include "algorithm/partition.hpp"
#include "noise/prefix_sums.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

std::vector<std::uint32_t> all_of(std::size_t records) {
  std::vector<std::uint32_t> all(records);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

// The places that each step of a single pass takes.
std::vector<std::size_t> batch_sizes(const Plan& plan) {
  std::vector<std::size_t> sizes(plan.sizes.steps, plan.change.batch);
  for (std::size_t t = 0; t < sizes.size(); t += plan.sizes.period) sizes[t] = plan.start.batch;
  return sizes;
}

// Notation [Kornowski24, Alg. 3 and 5]: z_t, z_{t−1} = before_, S_t the next records of the secret order.
class SinglePass {
 public:
  SinglePass(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter,
             std::shared_ptr<Shards> shards)
      : plan_(plan),
        prefix_(options.prefix),
        records_(loss.records),
        parameters_(loss.parameters),
        releases_(meter.child(plan.release)),
        order_(shards ? std::vector<std::size_t>() : secret_order(plan.records, meter.bits())),
        batches_(loss, plan, options, meter.bits()) {
    if (shards) batches_.ask(std::move(shards), draw_parts(batch_sizes(plan), meter.bits(), plan.records));
  }

  Released<Vector> operator()(const Vector& z) {
    const bool fresh = taken_++ % plan_.sizes.period == 0;
    Released<Vector> g = fresh ? begin_period(z) : go_on(z);
    before_ = z;
    return g;
  }

 private:
  // Lines 3–8: g_t = the mean over B₁ unused records, with its own noise.
  Released<Vector> begin_period(const Vector& z) {
    const NoisySum& sum = plan_.start;
    sums_.reset();
    start_ = noise::gaussian(batches_.gradient(z, unused(sum.batch), sum), sum.sigma, sum.range, releases_);
    return *start_;
  }

  // Lines 10–18: g_t = g_{t−1} + the mean change over B₂ unused records; the sum of the changes so far has
  // the noise of the prefix sums.
  Released<Vector> go_on(const Vector& z) {
    const NoisySum& sum = plan_.change;
    if (!sums_)
      sums_ = std::make_unique<noise::PrefixSums>(prefix_, plan_.sizes.period - 1, parameters_,
                                                  sum.sensitivity, sum.sigma, sum.range, releases_);
    const Released<Vector> changed =
        sums_->add(batches_.change(z, before_, unused(sum.batch), sum, sum.clip));
    return combine([](const Vector& g, const Vector& change) { return Vector(g + change); }, *start_,
                   changed);
  }

  // The next places of the order. Those without a record contribute nothing, and move nobody else's.
  BatchMembers unused(std::size_t count) {
    if (count > plan_.records - used_)
      throw_error<UsageError>("the records are used up: {} of {} are left, {} are needed",
                              plan_.records - used_, plan_.records, count);
    used_ += count;
    if (order_.empty()) return {.slots = count, .part = taken_ - 1};
    const auto places = std::span(order_).subspan(used_ - count, count);
    present_.clear();
    for (std::size_t slot = 0; slot < count; ++slot)
      if (places[slot] < records_) present_.push_back(static_cast<std::uint32_t>(slot));
    return {present_, places, {}, count};
  }

  Plan plan_;
  noise::PrefixKind prefix_;
  std::size_t records_, parameters_, taken_ = 0, used_ = 0;
  Meter releases_;
  std::vector<std::size_t> order_;      // of records that are here
  std::vector<std::uint32_t> present_;  // slots of the batch that have a record
  EstimateSums batches_;
  Vector before_;
  std::optional<Released<Vector>> start_;
  std::unique_ptr<noise::PrefixSums> sums_;
};

// Notation [Kornowski24, Alg. 4]: g̃_{t−1} = last_.
class MultiPass {
 public:
  MultiPass(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter,
            std::shared_ptr<Shards> shards)
      : plan_(plan),
        options_(options),
        parameters_(loss.parameters),
        releases_(meter.child(plan.release)),
        all_(shards ? std::vector<std::uint32_t>() : all_of(loss.records)),
        slots_(shards || options.neighbours == Neighbours::replace_one
                   ? std::vector<std::size_t>()
                   : secret_order(plan.records, meter.bits())),
        batches_(loss, plan, options, meter.bits()) {
    if (shards) batches_.ask(std::move(shards));
  }

  Released<Vector> operator()(const Vector& z) {
    if (taken_ == plan_.sizes.steps) throw_error<UsageError>("all {} steps have been taken", taken_);
    const bool fresh = taken_++ % plan_.sizes.period == 0;
    const NoisySum& sum = plan_.start;
    last_ = fresh ? noise::gaussian(batches_.gradient(z, everyone(), sum), sum.sigma, sum.range, releases_)
                  : go_on(z);
    before_ = z;
    return *last_;
  }

 private:
  // Lines 10–16. The change is released in units of its clip norm κ, which is public: so is ‖z_t − z_{t−1}‖.
  Released<Vector> go_on(const Vector& z) {
    const double kappa = clip_norm_at((z - before_).norm(), parameters_, plan_.sizes, options_);
    Clip clip = plan_.change.clip;
    clip.norm = kappa;
    const NoisySum& sum = plan_.change;
    return moved_on(
        *last_, kappa,
        noise::gaussian(batches_.change(z, before_, everyone(), sum, clip), sum.sigma, sum.range, releases_));
  }

  // Where a record may be missing, each has a secret slot of its own among all N: whether another record is
  // there does not move it.
  BatchMembers everyone() const { return {all_, {}, slots_, plan_.records}; }

  Plan plan_;
  Options options_;
  std::size_t parameters_, taken_ = 0;
  Meter releases_;
  std::vector<std::uint32_t> all_;  // that are here
  std::vector<std::size_t> slots_;  // of them; empty: their numbers
  EstimateSums batches_;
  Vector before_;
  std::optional<Released<Vector>> last_;
};

}  // namespace

GradientOracle single_pass_oracle(const RecordLoss& loss, const Plan& plan, const Options& options,
                                  Meter& meter, std::shared_ptr<Shards> shards) {
  const auto oracle = std::make_shared<SinglePass>(loss, plan, options, meter, std::move(shards));
  return [oracle](const Vector& z) { return (*oracle)(z); };
}

GradientOracle multi_pass_oracle(const RecordLoss& loss, const Plan& plan, const Options& options,
                                 Meter& meter, std::shared_ptr<Shards> shards) {
  const auto oracle = std::make_shared<MultiPass>(loss, plan, options, meter, std::move(shards));
  return [oracle](const Vector& z) { return (*oracle)(z); };
}

}  // namespace tacit::inline v1::nonconvex
