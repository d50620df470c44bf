#pragma once

#include <utility>

#include "tacit/meter.hpp"

namespace tacit::inline v1::noise {

// The only type that can make a MechanismKey. It is defined in this internal header, so that code outside of
// src/noise cannot open a Sensitive or an Ideal, nor make a Released.
struct Mechanism {
  template <class T>
  static const T& open(const Sensitive<T>& x) {
    return x.open(MechanismKey());
  }
  template <class T>
  static const T& open(const Ideal<T>& x) {
    return x.open(MechanismKey());
  }
  template <class T>
  static Released<T> release(T value) {
    return Released<T>(MechanismKey(), std::move(value));
  }
  static void show(const Meter& meter, const Step& step, std::span<const double> opened) {
    meter.show_watcher(MechanismKey(), step, opened);
  }
};

// Throws UsageError when a sensitivity is stated for another unit or neighbour relation than the budget.
void require_same_terms(Unit unit, Neighbours neighbours, const Meter& meter);
template <class T>
void require_same_terms(const Sensitive<T>& x, const Meter& meter) {
  require_same_terms(x.unit(), x.neighbours(), meter);
}

// The sensitivity with its slack. Throws UsageError unless both are finite and not negative.
double checked_total(const Sensitivity& sensitivity);

// A bound in l1 is one in l2; one in the max norm is not: UsageError, unless there is one number only.
void require_l2(const Sensitivity& sensitivity, std::size_t dimension);

}  // namespace tacit::inline v1::noise
