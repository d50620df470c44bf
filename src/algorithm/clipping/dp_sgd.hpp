#pragma once

// DP-SGD [Das23, Alg. 1, after Abadi et al. 2016; docs/dp_sgd.md].
//
// Solves      min over w of Σ f(w; x_i, y_i) for linear models, softmax, two-layer networks, or a loss of the
//             caller's own with per-sample gradients.
// Assumes     nothing: every gradient is clipped.
// Guarantees  (ε,δ)-DP or μ-GDP for one record that is there or not (zero_out, add_remove), by the account of
//             T Poisson-sampled Gaussian steps.

#include <cstdint>
#include <functional>
#include <optional>

#include "algorithm/clipping/options.hpp"
#include "noise/poisson_gaussian.hpp"
#include "solver/batch_pass.hpp"
#include "solver/clipped_sums.hpp"
#include "tacit/core.hpp"
#include "tacit/loss.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::clipping {

// Every number of a run, from public values alone.
struct Plan {
  double batch = 0;            // b: expected members of a batch, and the normaliser
  double rate = 0;             // q = b/n
  std::uint64_t steps = 0;     // T
  double epochs = 0;           // T·q, before T was rounded up
  double step_length = 0;      // η·τ
  Clip clip;                   // one record contributes length·g/max(τ,‖g‖), length = step_length/b
  Sensitivity sensitivity;     // of a batch's sum
  Unit unit = Unit::item;      // whose contribution the sensitivity bounds
  double range = 0;            // coordinates of a sum are clamped to ± this
  std::optional<Step> choice;  // of the clip norm, when that is private-min: charged first
  Step release;                // what is charged: all steps together
  // Of what is returned, where a schedule's theorem has one [docs/clipping.md].
  std::optional<double> risk_bound;
};
// The options with what a schedule sets.
TACIT_API Options with_schedule(std::size_t records, std::size_t parameters, Options options);

// With the step length that suits the loss and the shape of the rows where none is given [heuristic: utility
// only, docs/dp_sgd.md].
TACIT_API Options with_step_for(const Shape& shape, Options options);
TACIT_API Plan plan_dp_sgd(const Shape& shape, const Options& options);
// For a custom loss: n and the number of parameters.
TACIT_API Plan plan_dp_sgd(std::size_t records, std::size_t parameters, const Options& options);

// Sees w_t after step t = 1 … T: released values, so post-processing.
using Observer = std::function<void(std::uint64_t step, const Vector& parameters)>;

// Where training begins: 0 for linear models; the weights of a network or a robust fit are pseudo-random, a
// function of the seed.
TACIT_API Vector initial_parameters(const Shape& shape, std::int64_t seed);
// UsageError for a seed where nothing is drawn.
void require_drawn_start(const Facts& facts, const LossSpec& loss);

// The sum over the mechanism's next batch, wherever the records are.
using NextSum = std::function<void(noise::PoissonGaussian& mechanism, const Vector& w, Vector& sum)>;
TACIT_API NextSum sums_of_shards(std::shared_ptr<const RemoteBatches> batches);

// The loop: draw a batch, sum the clipped gradients, add noise, step, project. `records` is the number that
// there are, `sums` a function over them whose contributions keep plan.clip.
TACIT_API Released<Vector> train(const NextSum& next_sum, Vector start, const Plan& plan,
                                 const Options& options, Meter& meter, const Observer& observer = {});
TACIT_API Released<Vector> train(const BatchSums& sums, std::size_t records, Vector start, const Plan& plan,
                                 const Options& options, Meter& meter, const Observer& observer = {});

TACIT_API Release dp_sgd(const Problem& problem, const Options& options, Meter& meter,
                         const Observer& observer = {});

// A loss of the caller's own.
template <Loss L>
Released<Vector> dp_sgd(const L& loss, Vector start, const Options& options, Meter& meter,
                        const Observer& observer = {}) {
  if (options.private_min)
    throw_error<UsageError>(
        "the Lipschitz constants of a custom loss are not known, so no clip norm can be chosen by them; give "
        "one");
  const auto records = static_cast<std::size_t>(options.records.value_or(loss.records()));
  // The slack of the sums is planned for as many.
  if (meter.budget().neighbours != Neighbours::add_remove && records < loss.records())
    throw_error<UsageError>("records is {}, but the data has more records", records);
  const Plan plan = plan_dp_sgd(records, loss.parameters(), options);
  return train(clipped_sums(loss, plan.clip, options.threads), loss.records(), std::move(start), plan,
               options, meter, observer);
}

}  // namespace tacit::inline v1::clipping
