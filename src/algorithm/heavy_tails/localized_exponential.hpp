#pragma once

// The localised exponential mechanism [Lowy26, App. F, Alg. 6–7; docs/localized_exponential.md].
//
// Solves      min over w of (1/n) Σ φᵢ(⟨aᵢ,w⟩) + (λ/2)‖w‖², φᵢ limited to slope C, for few parameters.
// Assumes     nothing about the data.
// Guarantees  pure ε-DP for one record that is there or null, or that is replaced: half of ε finds a ball,
//             half chooses a point in it, exactly by its weight.

#include <vector>

#include "algorithm/heavy_tails/limited_output.hpp"
#include "noise/cells.hpp"

namespace tacit::inline v1::heavy_tails {

struct TACIT_API CellOptions {
  Options common;
  std::size_t cells = 65536;  // 16 … 2²⁴: at most this many in the cube around the ball

  static const OptionTable<CellOptions>& table();
  void validate() const;
  static CellOptions from(const Facts& facts) { return table().read(facts); }
};

// Every number of a run, from public values alone.
struct LocalizedExponentialPlan {
  Options localisation;  // of the first release
  OutputPlan first;
  double anchor_bound = 0;  // the ball is around a point of at most this norm
  double record_bound = 0;  // |φᵢ(w) − φᵢ(anchor)| in the ball
  noise::CellChoice choice;
  Step second;
};
// Throws InfeasibleError, with the numbers, where it would take more cells than allowed.
TACIT_API LocalizedExponentialPlan plan_localized_exponential(const Shape& shape, const CellOptions& options);
// What the certificate of such a run states.
TACIT_API Facts certified_options(const LocalizedExponentialPlan& plan, CellOptions options);

// The second stage alone, around any anchor on the grid within anchor_bound.
TACIT_API Released<Vector> exponential_around(const Vector& anchor, const LocalizedExponentialPlan& plan,
                                              const Problem& problem, const CellOptions& options,
                                              Meter& meter);

TACIT_API Release localized_exponential(const Problem& problem, const CellOptions& options, Meter& meter);

}  // namespace tacit::inline v1::heavy_tails
