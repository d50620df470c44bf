#pragma once

#include <span>

#include "tacit/core.hpp"

// The risk of DP-SGD as a function of its clip norm, for convex losses near interpolation [Das23, Sec. 5,
// App. H]. Notation: G = per-sample Lipschitz constants with the largest G_n, tau = clip norm,
// gap_i = f_i(w) − min f_i ≥ 0. All of this is about utility: no privacy rests on it.

namespace tacit::inline v1::clipping {

// phi = √d·z/(b·√T): what the calibrated noise really costs [docs/clipping.md]. It replaces the paper's
// √(ν d log(1/δ))/(nε), of which it is the value with the smallest ν that is private.
TACIT_API double noise_cost(std::size_t parameters, double noise_multiplier, double batch, double steps);

// Δ(w*) [Das23, Def. 5.2]: the mean gap at a minimiser of the mean. 0 under perfect interpolation.
TACIT_API double interpolation_gap(std::span<const double> gaps_at_minimiser);

// The ratio whose infimum over all w that are not minimisers is α(τ) [Das23, Def. 5.3]:
//   Σ min(1/τ, 1/G_i)·gap_i  /  Σ gap_i/G_n.
// It is ≥ 1 for τ ≤ G_n and falls with τ. With the gaps averaged over the iterates of a run it may stand for
// α(τ) in the bound of that run, which uses the ratio there and nowhere else (docs/clipping.md). Infinity
// where all gaps are 0. UsageError unless 0 < clip_norm ≤ G_n and there is a constant > 0 for each gap.
TACIT_API double progress_ratio(std::span<const double> gaps, std::span<const double> lipschitz,
                                double clip_norm);

struct ConvexRun {
  double distance = 1;           // ‖w₀ − w*‖ ≥ 0
  double step_scale = 1;         // C > 0 of the learning rate C/(Tτ√(1/T + φ²))
  double steps = 1;              // T ≥ 1
  double noise_cost = 0;         // φ ≥ 0
  double largest_lipschitz = 1;  // G_n
  double interpolation_gap = 0;  // Δ(w*)
};

// The learning rate of [Das23, Thm H.1]; for T = 1/(3φ²) it is the 3Cφ/(2τ) of Thm 5.4.
TACIT_API double learning_rate(const ConvexRun& run, double clip_norm);

// The bound of [Das23, Thm H.1] on E f(w of a random iterate) − f(w*):
//   (D²/(2C) + C)·G_n·√(1/T + φ²)/α + (G_n/(τα) − 1)·Δ.
TACIT_API double risk_bound(const ConvexRun& run, double clip_norm, double alpha);

}  // namespace tacit::inline v1::clipping
