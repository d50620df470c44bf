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

// A loss of which only values are known: f_i(w), a function of record i and w alone, bit for bit. It may be
// called from several threads at once. A value that is not finite counts as no difference between two points.
template <class L>
concept ValueLoss = requires(const L& loss, const Vector& w, std::size_t record) {
  { loss.records() } -> std::convertible_to<std::size_t>;
  { loss.parameters() } -> std::convertible_to<std::size_t>;
  { loss.value(w, record) } -> std::convertible_to<double>;
};

// The least that each must have.
struct LossArchetype {
  std::size_t records() const { return 1; }
  std::size_t parameters() const { return 1; }
  void gradient(const Vector&, std::size_t, std::span<double>) const {}
};
static_assert(Loss<LossArchetype> && !ValueLoss<LossArchetype>);
struct ValueLossArchetype {
  std::size_t records() const { return 1; }
  std::size_t parameters() const { return 1; }
  double value(const Vector&, std::size_t) const { return 0; }
};
static_assert(ValueLoss<ValueLossArchetype> && !Loss<ValueLossArchetype>);

}  // namespace tacit::inline v1
