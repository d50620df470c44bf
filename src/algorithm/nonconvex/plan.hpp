#pragma once

#include "algorithm/nonconvex/theory.hpp"
#include "solver/clipped_sums.hpp"
#include "tacit/core.hpp"
#include "tacit/custom_loss.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::nonconvex {

// A batch sum and its noise.
struct NoisySum {
  std::size_t batch = 0;    // records; of a sampled run in the mean
  Clip clip;                // of one record's contribution; multi-pass changes set their own clip norm
  Sensitivity sensitivity;  // for one record that is there or null, or for one replaced
  double sigma = 0, range = 0;
  double mu = 0;  // of one release; of a whole period's for the prefix sums; 0 where sampled
};

// Every number of a run, from public values alone.
struct Plan {
  Sizes sizes;
  std::size_t records = 0;  // places: some may hold no record
  bool timed = true;        // a step's time tells nothing but what is public
  double mu = 0;            // of the whole; a sampled run's is a guess that sizes go by
  double step_size = 0;     // η
  NoisySum start;           // a fresh gradient, in units of gradients
  NoisySum change;          // single pass: an increment of the prefix sums; else in units of its clip norm
  Step release;             // what is charged
  std::optional<Step> changes;             // and beside it, for the changes of a sampled run
  double evaluations = 0;                  // of one record's loss or gradient; of a sampled run in the mean
  std::optional<StationarityBound> bound;  // of the theorem's schedule

  TACIT_API std::vector<Step> charged() const;  // all of it
};
TACIT_API Plan plan_o2nc(std::size_t records, std::size_t parameters, const Options& options,
                         std::size_t shards = 1);

// Before anything is charged: announces the theorem's bound and a run that takes long, and
// refuses one beyond options.work_limit. Counts are public and the same everywhere; time is neither.
TACIT_API void announce(const Plan& plan, const Options& options);

// The largest mu that keeps the target.
TACIT_API double mu_for(const Guarantee& target);

}  // namespace tacit::inline v1::nonconvex
