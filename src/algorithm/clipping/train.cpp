#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/clipping/iterates.hpp"
#include "algorithm/clipping/run.hpp"
#include "noise/poisson_gaussian.hpp"
#include "noise/restore.hpp"
#include "privacy/checkpoints.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::clipping {

namespace {

void save_if_due(const Meter& meter, const Released<Iterates>& iterates, const Plan& plan) {
  Checkpoints* checkpoints = meter.checkpoints();
  const std::uint64_t taken = iterates.value().taken();
  if (checkpoints != nullptr && checkpoints->due(taken, plan.steps))
    checkpoints->save(taken, plan.steps,
                      iterates.map([](const Iterates& now, double norm) { return now.state(norm); },
                                   Public(plan.clip.norm)));
}

}  // namespace

NextSum sums_of_shards(std::shared_ptr<const RemoteBatches> batches) {
  return [batches = std::move(batches)](noise::PoissonGaussian& mechanism, const Vector& w, Vector& sum) {
    batches->sum(mechanism.begin_batch(), w, sum);
  };
}

Released<Vector> train(const BatchSums& sums, std::size_t records, Vector start, const Plan& plan,
                       const Options& options, Meter& meter, const Observer& observer) {
  const NextSum here = [&](noise::PoissonGaussian& mechanism, const Vector& w, Vector& sum) {
    sums(w, mechanism.draw(records), sum);
  };
  return train(here, std::move(start), plan, options, meter, observer);
}

Released<Vector> train(const NextSum& next_sum, Vector start, const Plan& plan, const Options& options,
                       Meter& meter, const Observer& observer) {
  noise::PoissonGaussian mechanism(plan.release, plan.range, meter);
  Released<Iterates> iterates(Public(Iterates(
      std::move(start),
      {.grid = plan.release.grid, .radius = options.radius, .kind = options.iterate, .steps = plan.steps},
      meter.bits())));
  if (const auto saved = noise::restored(meter)) {
    iterates.update([](Iterates& now, const Vector& state) { now.restore(state); }, *saved);
    mechanism.skip(iterates.value().taken());
  }
  while (iterates.value().taken() < plan.steps) {
    // 1. Each record joins the batch by a coin of its own; the sum of the clipped gradients, in units of w.
    Vector sum;
    next_sum(mechanism, iterates.value().current(), sum);
    // 2. Noise.
    const Released<Vector> noisy =
        mechanism.release(Sensitive<Vector>(std::move(sum), plan.sensitivity, options.neighbours, plan.unit));
    // 3. Step and project.
    iterates.update([](Iterates& now, const Vector& step) { now.step(step); }, noisy);
    if (observer) observer(iterates.value().taken(), iterates.value().current());
    save_if_due(meter, iterates, plan);
  }
  return iterates.map([](const Iterates& taken) { return taken.result(); });
}

}  // namespace tacit::inline v1::clipping
