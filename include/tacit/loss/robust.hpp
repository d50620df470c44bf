#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "tacit/core/api.hpp"

namespace tacit::inline v1 {

enum class RobustKind {
  phase_retrieval,  // p(z) = z², one output [robust phase retrieval: Duchi–Ruan 2019]
  max_affine,       // p(z) = max_k z_k, an output for each affine piece
};

// |p(z) − y| of the scores z_k = ⟨a, w_k⟩: neither smooth nor convex in w.
struct RobustFit {
  RobustKind kind = RobustKind::phase_retrieval;
  std::size_t pieces = 1;  // max_affine: 1 … 1024; phase_retrieval: 1

  std::size_t outputs() const { return pieces; }
};

// "phase-retrieval", "max-affine".
TACIT_API std::string_view name(RobustKind kind);
// The loss that such a name stands for, with 4 pieces where there are several; nothing for any other text.
TACIT_API std::optional<RobustFit> parse_robust(std::string_view name);
// Throws UsageError unless the number of pieces makes sense.
TACIT_API void validate(const RobustFit& loss);

// p(z), the prediction.
TACIT_API double prediction(const RobustFit& loss, std::span<const double> z);
// A (Clarke) subgradient of |p(z) − y| in z, in place; 0 where p(z) = y, the first of equal pieces.
TACIT_API void residual(const RobustFit& loss, std::span<double> z, double label);

}  // namespace tacit::inline v1
