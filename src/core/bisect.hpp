#pragma once

namespace tacit::inline v1 {

// For a predicate that is false at `low` and true at `high` (> low >= 0): the two ends of the last interval
// around its change, of relative width <= `tolerance`.
struct Change {
  double last_false, first_true;
};
template <class Predicate>
Change bisect(double low, double high, double tolerance, Predicate holds) {
  while (high - low > tolerance * high) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (holds(middle) ? high : low) = middle;
  }
  return {low, high};
}

}  // namespace tacit::inline v1
