#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "tacit/core/linalg.hpp"

namespace tacit::inline v1 {

// A caller's own loss over records of its own: L(w) = Σ_i f_i(w). `gradient` writes ∇f_i(w), a function of
// record i and w alone, bit for bit: privacy rests on it. It may be called from several threads at once. A
// gradient that is not finite counts as zero.
template <class L>
concept Loss = requires(const L& loss, const Vector& w, std::size_t record, std::span<double> gradient) {
  { loss.records() } -> std::convertible_to<std::size_t>;
  { loss.parameters() } -> std::convertible_to<std::size_t>;
  { loss.gradient(w, record, gradient) } -> std::same_as<void>;
};

// The least that a Loss must have.
struct LossArchetype {
  std::size_t records() const { return 1; }
  std::size_t parameters() const { return 1; }
  void gradient(const Vector&, std::size_t, std::span<double>) const {}
};
static_assert(Loss<LossArchetype>);

}  // namespace tacit::inline v1
