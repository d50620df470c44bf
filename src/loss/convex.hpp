#pragma once

#include <concepts>
#include <cstddef>

#include "tacit/core.hpp"

// A custom loss: one convex function fᵢ on ℝᵈ (or on a domain) for each record.

namespace tacit::inline v1 {

// value(i, w)           fᵢ(w), up to error()
// subgradient(i, w, g)  a g with fᵢ(u) ≥ fᵢ(w) + ⟨g, u − w⟩ − error() for all u of the domain, ‖g‖ ≤
// lipschitz() Both bounds must hold for every record that there could be, and for what the machine computes:
// privacy rests on them. Neither may throw.
template <class L>
concept ConvexLoss = requires(const L& loss, std::size_t record, const Vector& w, Vector& g) {
  { loss.records() } -> std::convertible_to<std::size_t>;
  { loss.dimension() } -> std::convertible_to<std::size_t>;
  { loss.lipschitz() } -> std::convertible_to<double>;
  { loss.error() } -> std::convertible_to<double>;
  { loss.value(record, w) } -> std::convertible_to<double>;
  { loss.subgradient(record, w, g) } -> std::same_as<void>;
};

// Any ConvexLoss, seen through two function pointers, so that solvers need not be templates. The loss must
// outlive it.
class ConvexLossRef {
 public:
  template <ConvexLoss L>
  requires(!std::same_as<L, ConvexLossRef>) ConvexLossRef(const L& loss)
      : loss_(&loss),
        records_(loss.records()),
        dimension_(loss.dimension()),
        lipschitz_(loss.lipschitz()),
        error_(loss.error()),
        value_([](const void* self, std::size_t i, const Vector& w) -> double {
          return static_cast<const L*>(self)->value(i, w);
        }),
        subgradient_([](const void* self, std::size_t i, const Vector& w, Vector& g) {
          static_cast<const L*>(self)->subgradient(i, w, g);
        }) {}

  std::size_t records() const { return records_; }
  std::size_t dimension() const { return dimension_; }
  double lipschitz() const { return lipschitz_; }
  double error() const { return error_; }
  double value(std::size_t record, const Vector& w) const { return value_(loss_, record, w); }
  void subgradient(std::size_t record, const Vector& w, Vector& g) const {
    subgradient_(loss_, record, w, g);
  }

 private:
  const void* loss_;
  std::size_t records_, dimension_;
  double lipschitz_, error_;
  double (*value_)(const void*, std::size_t, const Vector&);
  void (*subgradient_)(const void*, std::size_t, const Vector&, Vector&);
};

}  // namespace tacit::inline v1
