#pragma once

#include <cstddef>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"

// The parameter choices of [Lin24], App. C, as the paper has them: for comparison. asap-mala has its own
// (docs/asap_mala.md says where they differ, and why). Constants that the paper leaves in Θ(·) are 1.

namespace tacit::inline v1::posterior {

// n records of G-Lipschitz, β-smooth losses, α-strongly convex each; `cost` (Pure or Gaussian) is that of one
// of the three parts.
struct Lin24Problem {
  double records = 0, lipschitz = 0, smoothness = 0, strength = 0;
  std::size_t dimension = 0;
  Guarantee cost = Pure{1};
};

// Table 2, with the constants C₁ and C₂ of the text around it.
struct Lin24Table2 {
  double failure = 0;              // ρ
  double ball = 0;                 // B
  double inverse_temperature = 0;  // γ
  double distance = 0;             // Δ: in the 1-norm for pure DP, in the 2-norm for Gaussian
};
TACIT_API Lin24Table2 lin24_table2(const Lin24Problem& problem);

// Table 3, of a density ∝ e^{−γJ}: h is in the units of γJ.
struct Lin24Table3 {
  double step_size = 0, steps = 0, restarts = 0;
};
TACIT_API Lin24Table3 lin24_table3(const Lin24Problem& problem);

}  // namespace tacit::inline v1::posterior
