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

Released<Vector> train(const BatchSums& sums, std::size_t records, Vector start, const Plan& plan,
                       const Options& options, Meter& meter, const Observer& observer) {
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
    // 1. Each record joins the batch by a coin of its own.
    const auto batch = mechanism.draw(records);
    // 2. The sum of the clipped gradients, in units of w.
    Vector sum;
    sums(iterates.value().current(), batch, sum);
    // 3. Noise.
    const Released<Vector> noisy =
        mechanism.release(Sensitive<Vector>(std::move(sum), plan.sensitivity, options.neighbours, plan.unit));
    // 4. Step and project.
    iterates.update([](Iterates& now, const Vector& step) { now.step(step); }, noisy);
    if (observer) observer(iterates.value().taken(), iterates.value().current());
    save_if_due(meter, iterates, plan);
  }
  return iterates.map([](const Iterates& taken) { return taken.result(); });
}

}  // namespace tacit::inline v1::clipping
