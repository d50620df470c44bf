#pragma once

// Population localisation around a regularised private solver [Lowy26, Alg. 1, after Asi, Liu, Tian 2024;
// docs/localized.md].
//
// Solves      min over w of E φ(⟨a,w⟩, y) over the population that the records are drawn from.
// Assumes     nothing for privacy; its risk bound assumes independent records.
// Guarantees  pure ε-DP for one record that is there or null, or that is replaced: every phase and block has
//             places of its own, records and null ones assigned to them by a secret random order, so that the
//             blocks' costs are not added up.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithm/heavy_tails/options.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::heavy_tails {

struct TACIT_API LocalizedOptions {
  Options common;      // regularisation: λ₁, of the first phase
  double failure = 0;  // δ in [0, ½): blocks enough for confidence 1 − δ; 0: one block a phase
  std::string solver = "limited-output";  // a name of centered_solvers()
  // rule: C in every phase, λ₁ by the solver's rule. theorem: that of [Lowy26, Thm 2.1], C_t =
  // C·(m_t/m₁)^{1/k} and λ₁ = 16·C·d/(m₁ε)/D, which falls with n (docs/localized.md).
  std::string schedule = "rule";
  double tails = 2;  // k ≥ 1: moments of the gradients that exist, for the theorem's schedule

  static const OptionTable<LocalizedOptions>& table();
  void validate() const;
  static LocalizedOptions from(const Facts& facts) { return table().read(facts); }
};

// One phase: `blocks` disjoint parts of `records` places each, solved around the point of the phase before.
struct Phase {
  Shape shape;      // of one block
  Options options;  // of the solver, λ_t, limits and places set
  Step block;       // one of the blocks: the solver's steps within it
};

// Every number of a run, from public values alone.
struct LocalizedPlan {
  LossLimits limits;
  double first_regularisation = 0;  // λ₁
  std::optional<Domain> domain;     // W, onto which a phase's point is projected before it is a center
  double center_bound = 0;          // without one, onto this ball; the largest norm of a center
  std::size_t blocks = 1;           // J, in each phase
  std::vector<Phase> phases;        // those with at least one record a block
  Step release;                     // all of it: the dearest block's cost, the blocks within it
};
TACIT_API LocalizedPlan plan_localized(const Shape& shape, const LocalizedOptions& options);
// What the certificate of such a run states.
TACIT_API Facts certified_options(const LocalizedPlan& plan, LocalizedOptions options);

// J = ⌈12.5 ln(T/δ)⌉, T = ⌈log₂ n⌉; 1 for δ = 0.
TACIT_API std::size_t localized_blocks(std::size_t records, double failure);

// The point whose median distance to the others is least, the first of equals [Lowy26, Alg. 1, line 12].
TACIT_API Vector geometric_aggregate(std::span<const Vector> points);

TACIT_API Release localized(const Problem& problem, const LocalizedOptions& options, Meter& meter);

}  // namespace tacit::inline v1::heavy_tails
