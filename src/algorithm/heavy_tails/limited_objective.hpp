#pragma once

// Objective perturbation of the limited loss [ours, docs/limited_objective.md and docs/gaussian_objective.md;
// after Chaudhuri–Monteleoni–Sarwate 2011, Kifer–Smith–Thakurta 2012, Redberg–Koskela–Wang 2023].
//
// Solves      min over w of Σ φ(⟨aᵢ,w⟩, yᵢ) for linear models and softmax.
// Assumes     nothing about the data: no bound on rows or labels is needed for privacy.
// Guarantees  pure ε-DP or (ε,δ)-DP for one record that is there or not, or that is replaced, in the
// arithmetic
//             the machine does.
// Where the problem states the blocks of its features, pure noise has their shape [docs/shaped_noise.md].

#include <cstdint>
#include <string>
#include <vector>

#include "algorithm/heavy_tails/options.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::heavy_tails {

struct TACIT_API ObjectiveOptions {
  Options common;

  static const OptionTable<ObjectiveOptions>& table();
  static ObjectiveOptions from(const Facts& facts) { return table().read(facts); }
  void validate() const;
};

// Every number of a run, from public values alone.
struct ObjectivePlan {
  LossLimits limits;          // C, Q; s, Q and the blocks, where the noise has their shape
  double regularisation = 0;  // λ
  double radius = 0;          // of the ball that the minimiser is projected onto
  double range = 0;           // of the coordinates in it
  double distance = 0;        // t': computed and ideal point differ by at most this, surely
  double cover_epsilon = 0;   // ε_s
  Step perturbation;          // costs ε' + rank·ln(1 + Q/(nλ)), or a curve with this shift
  Step cover;                 // costs ε_s
};
// What the certificate of a run states among its options.
TACIT_API Facts certified_options(const ObjectivePlan& plan, const ObjectiveOptions& options);

// The radius R where none is given, for rows with blocks: noise of this length moves a score by about 1
// [heuristic: utility only, docs/features.md]. shape.records is the public number.
TACIT_API double radius_for_blocks(const Shape& shape, double epsilon);

// shape.records is the public number; shape.blocks says whether the noise is shaped.
TACIT_API ObjectivePlan plan_limited_objective(const Shape& shape, const ObjectiveOptions& options);
// With isotropic noise, for one replaced record.
TACIT_API ObjectivePlan plan_limited_objective(const Shape& shape, const Options& options);
// The same with (λ/2)‖w − center‖², for any center of norm ≤ center_bound.
TACIT_API ObjectivePlan plan_limited_objective(const Shape& shape, const Options& options,
                                               double center_bound);

TACIT_API Released<Vector> limited_objective_around(const Vector& center, double center_bound,
                                                    const Problem& problem, const Options& options,
                                                    Meter& meter);

TACIT_API Release limited_objective(const Problem& problem, const ObjectiveOptions& options, Meter& meter);

}  // namespace tacit::inline v1::heavy_tails
