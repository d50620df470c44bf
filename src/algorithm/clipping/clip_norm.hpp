#pragma once

#include <span>

#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/problem.hpp"

// A clip norm from the data, privately (docs/clipping.md). [Das23, Remark 5.6] recommends clip norms up to
// the least per-sample Lipschitz constant. A minimum hangs on one record, so a low quantile stands for it.

namespace tacit::inline v1::clipping {

// The clip norms to choose from: 2^{j/4} from 2^−20 to 2^40. Public and the same for all data: what lies
// outside gets the nearest end.
TACIT_API std::span<const double> clip_norm_grid();

struct PrivateMin {
  double epsilon = 0.1;            // > 0: what the choice may cost
  double quantile = 0.01;          // in (0,1), of the Lipschitz constants
  std::size_t public_records = 0;  // n, or the public number that stands for it
};

// The step that it charges, from public values alone.
TACIT_API Step plan_private_clip_norm(const PrivateMin& options);

// The quantile of the G_i over the grid, by the exponential mechanism with rank utility. Its sensitivity is 1
// for every relation: a null record has no G and is not counted. With probability 1 − β the rank of the
// result is off by at most (2/ε)·ln(241/β) beyond the best on the grid. UsageError for a loss whose gradients
// have no bound.
TACIT_API Released<double> private_clip_norm(const Problem& problem, const PrivateMin& options, Meter& meter);

// What the paper does (Report Noisy Max on the −G_i), as far as it can be made private; for comparison. The
// index alone does not cover the G of that record, and without a public bound its sensitivity is unbounded.
// So G is clamped to [0, bound], the index costs ε/2, the value at that index gets Laplace noise for the
// other ε/2, and the result is clamped again. The noise has scale 2·bound/ε or more: useless unless n is
// large *and* ε is. For zero_out and replace_one.
struct NoisyMin {
  double epsilon = 0.3;  // > 0 [the paper's share of 2]
  double bound = 0;      // > 0, public
};
TACIT_API Released<double> noisy_min_clip_norm(const Problem& problem, const NoisyMin& options, Meter& meter);

}  // namespace tacit::inline v1::clipping
