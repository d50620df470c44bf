#pragma once

// The Lipschitz extension f_C(w) = min over y in W of f(y) + C‖w − y‖ of a convex loss [Lowy26, (5)], and
// certified minimisers of its regularised mean
//   F(w) = (1/m) Σ f_C(w, i) + (λ/2)‖w − w₀‖²   over W, or over W ∩ ball,
// through the jointly convex Φ(w, y₁ … y_m) of (10) and Lemma 2.7. docs/double_output.md has the proofs.

#include <cstdint>
#include <optional>
#include <string>

#include "domain/local.hpp"
#include "loss/convex.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

struct ExtensionSetting {
  double lipschitz = 1;       // C > 0
  double regularisation = 1;  // λ > 0
  Vector center;              // w₀, in W
  Domain domain;              // W, compact
  std::optional<Ball> local;  // w stays in W ∩ this; its center lies in W
};

// What is public about the records' losses.
struct LossSizes {
  std::size_t records = 0, dimension = 0;
  double lipschitz = 0;  // A: of every record's loss
  double error = 0;      // of one record's subgradient
};
TACIT_API LossSizes sizes_of(const ConvexLossRef& loss);

// A point whose objective is surely within `gap` of the least, rounding included.
struct Accurate {
  Vector point;
  double gap = 0;
  std::uint64_t iterations = 0;  // depends on the data: never leaves with a release
};

// What a solver needs for an accuracy, from public values alone.
struct IterationBound {
  double iterations = 0;   // at most
  std::string too_coarse;  // why double arithmetic cannot certify the accuracy; empty when it can
};

// The most iterations that Algorithm 3 can need for `accuracy` [Lowy26, Prop. 2.9]:
//   ⌈(3DL/α)²⌉,  D² = D_w² + D_W²,  L² = (C + λ·max‖w − w₀‖)² + (A + C)²,
// with the y's measured by their root mean square. Throws UsageError when W is neither a ball nor a box.
TACIT_API IterationBound subgradient_iterations(const ExtensionSetting& setting, const LossSizes& sizes,
                                                double accuracy);

// Algorithm 3 on Φ: adaptive inexact projected subgradients until 3D√S_t ≤ αt. gap ≤ accuracy wherever
// subgradient_iterations() finds arithmetic fine enough.
TACIT_API Accurate minimise_extension(const ExtensionSetting& setting, const ConvexLossRef& loss,
                                      double accuracy);

// f_C(w) of one record: lower ≤ f_C(w) ≤ upper = lower + gap, by Algorithm 3 over y alone.
struct ExtensionValue {
  double lower = 0, upper = 0;
};
TACIT_API ExtensionValue extension_value(const ConvexLossRef& loss, std::size_t record, const Vector& w,
                                         double lipschitz, const Domain& domain, double accuracy);

}  // namespace tacit::inline v1
