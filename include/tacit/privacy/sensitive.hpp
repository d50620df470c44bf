#pragma once

#include <string>
#include <utility>

#include "tacit/privacy/guarantee.hpp"
#include "tacit/privacy/step.hpp"

namespace tacit::inline v1 {

namespace noise {
struct Mechanism;  // defined in src/noise: the only code that opens a Sensitive or makes a Released
}

// The right to open what is sensitive. Only mechanisms can make one.
class MechanismKey {
  MechanismKey() = default;
  friend struct noise::Mechanism;
};

// A value computed from private data, with how far it can move between neighbours. It has no operations: it
// cannot be printed, compared, serialised or converted. Only a mechanism opens it.
template <class T>
class Sensitive {
 public:
  Sensitive(T value, Sensitivity sensitivity, Neighbours neighbours, Unit unit = Unit::item)
      : value_(std::move(value)),
        sensitivity_(std::move(sensitivity)),
        neighbours_(neighbours),
        unit_(unit) {}

  const Sensitivity& sensitivity() const { return sensitivity_; }
  Neighbours neighbours() const { return neighbours_; }
  Unit unit() const { return unit_; }
  const T& open(MechanismKey) const { return value_; }

 private:
  T value_;
  Sensitivity sensitivity_;
  Neighbours neighbours_;
  Unit unit_;
};

// A sample of an ideal mechanism, known up to a certified distance: surely, ‖value − sample‖₂ ≤ distance. The
// ideal's cost is charged when the sample is drawn; `noise::erase` covers the distance and opens it.
template <class T>
class Ideal {
 public:
  Ideal(T value, double distance, std::string reason)
      : value_(std::move(value)), distance_(distance), reason_(std::move(reason)) {}

  double distance() const { return distance_; }
  const std::string& reason() const { return reason_; }
  const T& open(MechanismKey) const { return value_; }

 private:
  T value_;
  double distance_;
  std::string reason_;
};

// What a mechanism returned: free to copy, print and post-process.
template <class T>
class Released {
 public:
  Released(MechanismKey, T value) : value_(std::move(value)) {}

  const T& value() const { return value_; }

  // Post-processing. `f` must depend on nothing private.
  template <class F>
  auto map(F&& f) const -> Released<decltype(f(std::declval<const T&>()))> {
    return Released<decltype(f(value_))>(f(value_));
  }

 private:
  template <class>
  friend class Released;
  explicit Released(T value) : value_(std::move(value)) {}
  T value_;
};

}  // namespace tacit::inline v1
