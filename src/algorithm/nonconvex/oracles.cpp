#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "tacit/algorithm/nonconvex/estimator.hpp"
#include "tacit/algorithm/nonconvex/o2nc.hpp"
#include "tacit/algorithm/nonconvex/smoothing.hpp"
#include "tacit/algorithm/partition.hpp"
#include "tacit/core/error.hpp"
#include "tacit/noise/mechanisms.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

std::uint64_t draw_word(BitSource& bits) {
  std::uint64_t word = 0;
  bits.fill({&word, 1});
  return word;
}

// Sums over a batch of clipped estimates. A slot is a place in the run: a batch's members have slots of their
// own, which fix their directions.
class EstimateSums {
 public:
  EstimateSums(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter)
      : estimator_(loss, options.estimate, plan.sizes.smoothing, options.lipschitz, plan.sizes.directions,
                   draw_word(meter.bits())),
        parameters_(loss.parameters),
        threads_(options.threads),
        meter_(&meter) {}

  // The next records.size() slots go to these records.
  Sensitive<Vector> gradient(const Vector& z, std::span<const std::size_t> records, const NoisySum& sum) {
    return summed(records, sum, sum.clip, [&](std::size_t record, std::uint64_t slot, std::span<double> out) {
      estimator_.gradient(z, record, slot, out);
    });
  }
  Sensitive<Vector> change(const Vector& z, const Vector& before, std::span<const std::size_t> records,
                           const NoisySum& sum, const Clip& clip) {
    return summed(records, sum, clip, [&](std::size_t record, std::uint64_t slot, std::span<double> out) {
      estimator_.change(z, before, record, slot, out);
    });
  }

 private:
  template <class Estimate>
  Sensitive<Vector> summed(std::span<const std::size_t> records, const NoisySum& sum, const Clip& clip,
                           Estimate&& estimate) {
    if (slots_.size() < records.size()) {
      slots_.resize(records.size());
      std::iota(slots_.begin(), slots_.end(), 0u);
    }
    const RecordGradient contribution = [&](const Vector&, std::size_t slot, std::span<double> out) {
      estimate(records[slot], first_slot_ + slot, out);
    };
    Vector total;
    clipped_sums(contribution, parameters_, clip, threads_)(
        {}, std::span<const std::uint32_t>(slots_).first(records.size()), total);
    first_slot_ += records.size();
    return {std::move(total), sum.sensitivity, meter_->budget().neighbours};
  }

  BallEstimator estimator_;
  std::size_t parameters_;
  unsigned threads_;
  Meter* meter_;
  std::uint64_t first_slot_ = 0;
  std::vector<std::uint32_t> slots_;
};

// A release whose cost is part of what the outer meter was charged: it has a meter of its own, so that no
// single release can cost more than was planned.
Budget part_of(const Meter& meter, double mu) {
  return {Gaussian{mu}, meter.budget().unit, meter.budget().neighbours};
}

Released<Vector> with_gaussian(const Sensitive<Vector>& x, const NoisySum& sum, const Meter& meter,
                               const Watcher& watcher) {
  Meter own(part_of(meter, sum.mu), meter.bits());
  own.watch(watcher);
  return noise::gaussian(x, sum.sigma, sum.range, own);
}

// Notation [Kornowski24, Alg. 3 and 5]: z_t, z_{t−1} = before_, S_t the next records of the secret order.
class SinglePass {
 public:
  SinglePass(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter, Watcher watcher)
      : plan_(plan),
        prefix_(options.prefix),
        parameters_(loss.parameters),
        meter_(&meter),
        watcher_(std::move(watcher)),
        order_(secret_order(loss.records, meter.bits())),
        batches_(loss, plan, options, meter) {}

  Released<Vector> operator()(const Vector& z) {
    const bool fresh = taken_++ % plan_.sizes.period == 0;
    Released<Vector> g = fresh ? begin_period(z) : go_on(z);
    before_ = z;
    return g;
  }

 private:
  // Lines 3–8: g_t = the mean over B₁ unused records, with its own noise.
  Released<Vector> begin_period(const Vector& z) {
    sums_.reset();
    period_meter_.reset();
    start_ = with_gaussian(batches_.gradient(z, unused(plan_.start.batch), plan_.start), plan_.start, *meter_,
                           watcher_);
    return *start_;
  }

  // Lines 10–18: g_t = g_{t−1} + the mean change over B₂ unused records; the sum of the changes so far has
  // the noise of the prefix sums.
  Released<Vector> go_on(const Vector& z) {
    const NoisySum& sum = plan_.change;
    if (!sums_) {
      period_meter_ = std::make_unique<Meter>(part_of(*meter_, sum.mu), meter_->bits());
      period_meter_->watch(watcher_);
      sums_ = std::make_unique<noise::PrefixSums>(prefix_, plan_.sizes.period - 1, parameters_,
                                                  sum.sensitivity, sum.sigma, sum.range, *period_meter_);
    }
    const Released<Vector> changed =
        sums_->add(batches_.change(z, before_, unused(sum.batch), sum, sum.clip));
    return changed.map([&](const Vector& change) { return Vector(start_->value() + change); });
  }

  std::span<const std::size_t> unused(std::size_t count) {
    if (count > order_.size() - used_)
      throw_error<UsageError>("the records are used up: {} of {} are left, {} are needed",
                              order_.size() - used_, order_.size(), count);
    used_ += count;
    return std::span(order_).subspan(used_ - count, count);
  }

  Plan plan_;
  noise::PrefixKind prefix_;
  std::size_t parameters_, taken_ = 0, used_ = 0;
  Meter* meter_;
  Watcher watcher_;
  std::vector<std::size_t> order_;
  EstimateSums batches_;
  Vector before_;
  std::optional<Released<Vector>> start_;
  std::unique_ptr<Meter> period_meter_;
  std::unique_ptr<noise::PrefixSums> sums_;
};

// Notation [Kornowski24, Alg. 4]: g̃_{t−1} = last_.
class MultiPass {
 public:
  MultiPass(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter, Watcher watcher)
      : plan_(plan),
        options_(options),
        parameters_(loss.parameters),
        meter_(&meter),
        watcher_(std::move(watcher)),
        all_(loss.records),
        batches_(loss, plan, options, meter) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
  }

  Released<Vector> operator()(const Vector& z) {
    if (taken_ == plan_.sizes.steps) throw_error<UsageError>("all {} steps have been taken", taken_);
    const bool fresh = taken_++ % plan_.sizes.period == 0;
    last_ = fresh ? with_gaussian(batches_.gradient(z, all_, plan_.start), plan_.start, *meter_, watcher_)
                  : go_on(z);
    before_ = z;
    return *last_;
  }

 private:
  // Lines 10–16. The change is released in units of its clip norm κ, which is public: so is ‖z_t − z_{t−1}‖.
  Released<Vector> go_on(const Vector& z) {
    const double kappa = clip_norm((z - before_).norm());
    Clip clip = plan_.change.clip;
    clip.norm = kappa;
    const Released<Vector> change =
        with_gaussian(batches_.change(z, before_, all_, plan_.change, clip), plan_.change, *meter_, watcher_);
    return change.map([&](const Vector& unit) { return Vector(last_->value() + kappa * unit); });
  }

  double clip_norm(double distance) const {
    const double d = static_cast<double>(parameters_), l = options_.lipschitz, alpha = plan_.sizes.smoothing;
    if (options_.bound == Bound::worst) return l * d * std::fmin(2.0, distance / alpha);
    return l * gradient_change(parameters_, distance, alpha);
  }

  Plan plan_;
  Options options_;
  std::size_t parameters_, taken_ = 0;
  Meter* meter_;
  Watcher watcher_;
  std::vector<std::size_t> all_;
  EstimateSums batches_;
  Vector before_;
  std::optional<Released<Vector>> last_;
};

}  // namespace

GradientOracle single_pass_oracle(const RecordLoss& loss, const Plan& plan, const Options& options,
                                  Meter& meter, const Watcher& watcher) {
  const auto oracle = std::make_shared<SinglePass>(loss, plan, options, meter, watcher);
  return [oracle](const Vector& z) { return (*oracle)(z); };
}

GradientOracle multi_pass_oracle(const RecordLoss& loss, const Plan& plan, const Options& options,
                                 Meter& meter, const Watcher& watcher) {
  const auto oracle = std::make_shared<MultiPass>(loss, plan, options, meter, watcher);
  return [oracle](const Vector& z) { return (*oracle)(z); };
}

}  // namespace tacit::inline v1::nonconvex
