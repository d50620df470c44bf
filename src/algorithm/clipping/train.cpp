#include "iterates.hpp"
#include "run.hpp"
#include "tacit/algorithm/clipping/dp_sgd.hpp"
#include "tacit/core/error.hpp"
#include "tacit/noise/poisson_gaussian.hpp"
#include "tacit/noise/restore.hpp"
#include "tacit/privacy/checkpoints.hpp"

namespace tacit::inline v1::clipping {

namespace {

void save_if_due(const Meter& meter, const Iterates& iterates, const Plan& plan,
                 const Released<Vector>& noisy) {
  Checkpoints* checkpoints = meter.checkpoints();
  if (checkpoints != nullptr && checkpoints->due(iterates.taken(), plan.steps))
    checkpoints->save(iterates.taken(), plan.steps,
                      noisy.map([&](const Vector&) { return iterates.state(plan.clip.norm); }));
}

}  // namespace

Released<Vector> train(const BatchSums& sums, std::size_t records, Vector start, const Plan& plan,
                       const Options& options, Meter& meter, const Observer& observer) {
  noise::PoissonGaussian mechanism(plan.release, plan.range, meter);
  Iterates iterates(
      std::move(start),
      {.grid = plan.release.grid, .radius = options.radius, .kind = options.iterate, .steps = plan.steps},
      meter.bits());
  std::optional<Released<Vector>> released = noise::restored(meter);
  if (released) {
    iterates.restore(released->value());
    mechanism.skip(iterates.taken());
  }
  while (iterates.taken() < plan.steps) {
    // 1. Each record joins the batch by a coin of its own.
    const auto batch = mechanism.draw(records);
    // 2. The sum of the clipped gradients, in units of w.
    Vector sum;
    sums(iterates.current(), batch, sum);
    // 3. Noise.
    released =
        mechanism.release(Sensitive<Vector>(std::move(sum), plan.sensitivity, options.neighbours, plan.unit));
    // 4. Step and project.
    iterates.step(released->value());
    if (observer) observer(iterates.taken(), iterates.current());
    save_if_due(meter, iterates, plan, *released);
  }
  return released->map([&](const Vector&) { return iterates.result(); });
}

}  // namespace tacit::inline v1::clipping
