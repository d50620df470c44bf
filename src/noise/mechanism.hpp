#pragma once

#include <utility>

#include "tacit/privacy/meter.hpp"
#include "tacit/privacy/sensitive.hpp"

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

// Throws UsageError when a sensitivity is stated for another neighbour relation than the budget.
void require_same_neighbours(Neighbours stated, const Meter& meter);

}  // namespace tacit::inline v1::noise
