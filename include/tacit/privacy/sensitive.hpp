#pragma once

#include <string>
#include <type_traits>
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

struct Dataset;
struct Problem;

template <class T>
inline constexpr bool holds_records = false;
template <class T>
inline constexpr bool holds_records<Sensitive<T>> = true;
template <class T>
inline constexpr bool holds_records<Ideal<T>> = true;
template <>
inline constexpr bool holds_records<Dataset> = true;
template <>
inline constexpr bool holds_records<Problem> = true;

// A declaration: this value is a function of options, plans, what was released before, and bits that were
// drawn without a look at the data; never of records. Lasts as long as the expression that it is part of.
template <class T>
class Public {
 public:
  explicit Public(const T& value) : value_(&value) {
    static_assert(!holds_records<std::remove_pointer_t<T>>,
                  "records and what is computed from them are not public");
  }
  const T& value() const { return *value_; }

 private:
  const T* value_;
};

// Without captures a function sees nothing but what it is handed.
template <class F>
inline constexpr bool is_captureless =
    std::is_empty_v<std::decay_t<F>> || std::is_function_v<std::remove_pointer_t<std::decay_t<F>>>;

// What a mechanism returned: free to copy, print and post-process. Post-processing captures nothing: it is
// handed released values, and public ones that are declared as such.
template <class T>
class Released {
 public:
  Released(MechanismKey, T value) : value_(std::move(value)) {}
  // What is public needs no mechanism: where a state begins that released values then move on.
  explicit Released(const Public<T>& value) : value_(value.value()) {}

  const T& value() const { return value_; }

  // f(value, given…)
  template <class F, class... Given>
  auto map(F&& f, const Given&... given) const;
  // f(value&, given…), in place.
  template <class F, class... Given>
  void update(F&& f, const Given&... given);

 private:
  template <class F, class... Given>
  friend auto combine(F&& f, const Given&... given);
  explicit Released(T value) : value_(std::move(value)) {}
  T value_;
};

template <class T>
inline constexpr bool is_released = false;
template <class T>
inline constexpr bool is_released<Released<T>> = true;
template <class T>
inline constexpr bool is_released_or_public = is_released<T>;
template <class T>
inline constexpr bool is_released_or_public<Public<T>> = true;

// f of what was released and of what is public, released itself.
template <class F, class... Given>
auto combine(F&& f, const Given&... given) {
  static_assert(is_captureless<F>, "post-processing captures nothing: hand it public values as Public(x)");
  static_assert((is_released_or_public<Given> && ...), "neither released nor declared as Public(x)");
  static_assert((is_released<Given> || ...), "nothing of it was released");
  using Result = std::decay_t<decltype(f(given.value()...))>;
  return Released<Result>(f(given.value()...));
}

template <class T>
template <class F, class... Given>
auto Released<T>::map(F&& f, const Given&... given) const {
  return combine(std::forward<F>(f), *this, given...);
}

template <class T>
template <class F, class... Given>
void Released<T>::update(F&& f, const Given&... given) {
  static_assert(is_captureless<F>, "post-processing captures nothing: hand it public values as Public(x)");
  static_assert((is_released_or_public<Given> && ...), "neither released nor declared as Public(x)");
  f(value_, given.value()...);
}

}  // namespace tacit::inline v1
