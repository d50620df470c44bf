#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "algorithm/clipping/schedule.hpp"
#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::clipping {

// Which of the iterates is returned. All are post-processing of the same noisy gradients.
enum class Iterate {
  average,  // the mean of the second half
  last,
  random,  // uniform among w_0 … w_{T−1} [Das23, Alg. 1]
};
TACIT_API std::string_view name(Iterate iterate);

// Of sizes: far beyond any use, and so that no product in the engine can overflow or vanish.
inline constexpr Range size_range = positive(1e-30, 1e30);

// What is not given follows a rule from public values.
struct TACIT_API Options {
  Guarantee target = Approx{1, 1e-5};            // approx or gaussian; the whole budget
  Neighbours neighbours = Neighbours::zero_out;  // or add_remove
  // tau, 1e-30 … 1e30. Absent ("auto"): each record has its own, a fifth of its gradient for a unit residual,
  // so that only the step length matters (docs/dp_sgd.md).
  std::optional<double> clip_norm;
  // "private-min": a low quantile of the Lipschitz constants instead, chosen privately (clip_norm.hpp).
  bool private_min = false;
  double clip_share = 0.05;     // of epsilon, for that choice; in (0,1)
  double clip_quantile = 0.01;  // in (0,1)
  // Steps (at most those of `epochs`, when given), clip norm and step length by a theorem (schedule.hpp), and
  // what it is told of the data. `constrained` goes by the radius, in place of the distance.
  std::optional<Theorem> schedule;
  double moment_order = 2, moment = 1, distance = 1;                          // > 1, > 0, > 0
  double failure = 0.25, growth_radius = 1, smoothness = 1, initial_gap = 1;  // in (0,1), ≥ 0, > 0, > 0
  std::optional<double> batch;        // expected size of a batch, > 0, at most the number of records
  std::optional<double> epochs;       // times that a record is expected to be seen, > 0
  std::optional<double> step_length;  // η·τ: how far a batch of aligned gradients moves w; 1e-30 … 1e30
  std::optional<double> noise_multiplier;  // absent: the least that keeps the target
  std::optional<std::int64_t> records;     // public number of records; must be given for add_remove
  double radius = 0;                       // project onto the ball ‖w‖ ≤ radius; 0: do not
  Iterate iterate = Iterate::average;
  std::int64_t seed = 1;   // of a network's initial weights, which are public
  unsigned threads = 0;    // 0: one per core
  std::size_t shards = 1;  // whose sums are added: a fact of the problem, no option

  static const OptionTable<Options>& table();
  void validate() const;
  static Options from(const Facts& facts);  // `nonconvex` returns a random iterate unless told otherwise
  // Whether a schedule has set what it sets.
  bool settled() const { return schedule && noise_multiplier; }
};

}  // namespace tacit::inline v1::clipping
