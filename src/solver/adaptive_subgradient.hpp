#pragma once

#include <cmath>
#include <cstdint>

namespace tacit::inline v1 {

// Algorithm 3 of [Lowy26]. `Iterate` is the point x_t with
//   double subgradient()      computes g_t, returns ‖g_t‖²
//   void average()            adds x_t to the running average
//   double move(double eta)   x_{t+1} = Π(x_t − η g_t); returns e_t ≥ ‖x_{t+1} − u‖² − ‖x_t − ηg_t − u‖²
// Returns what Proposition C.5 bounds, from the numbers that occurred:
//   average of Φ(x_t) − Φ* ≤ (3D/2T)√S_T + (1/2T) Σ e_t/η_t  (+ the oracle's error).
struct SubgradientRun {
  double regret = 0;
  std::uint64_t iterations = 0;
};

template <class Iterate>
SubgradientRun adaptive_subgradient(Iterate& x, double diameter, double accuracy) {
  // Sums of up to 1e12 terms: in long double their rounding is below 1e-7 of them.
  long double squares = 0, projections = 0;
  for (std::uint64_t t = 1;; ++t) {
    x.average();
    squares += static_cast<long double>(x.subgradient());  // S_t
    const long double root = std::sqrt(squares), count = static_cast<long double>(t);
    const bool done = 3 * diameter * root <= accuracy * count;
    if (done || squares == 0)
      return {static_cast<double>((1.5L * diameter * root + projections) / count * (1 + 1e-6L)), t};
    const double eta = diameter / static_cast<double>(root);
    projections += static_cast<long double>(x.move(eta)) / (2 * static_cast<long double>(eta));
  }
}

}  // namespace tacit::inline v1
