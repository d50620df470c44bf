#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "privacy/accounting/fourier.hpp"

namespace tacit::inline v1::pld {

// A number, and how far the exact one may be from it.
struct Approximation {
  double value = 0, error = 0;
};

// The composition of many small losses is smooth on its grid: all but the lowest frequencies of its spectrum
// vanish. Those are computed one by one, the others bounded together, and no transform is made
// [docs/accounting.md, "Few frequencies"].
class Band {
 public:
  // The cyclic convolution of the factors over `size` points; nothing where a transform would take less time
  // or the higher frequencies cannot be bounded.
  static std::optional<Band> of(std::span<const Factor> factors, std::size_t size);

  // Σ_{0<j<=reach} (t^j − (tr)^j) mass_{k+j} with t = e^{−λh}, r = e^{−h}.
  Approximation tail(std::int64_t k, std::int64_t reach, double lambda, double step) const;

 private:
  Band() = default;

  std::size_t size_ = 0;
  std::vector<std::complex<double>> spectrum_;  // at the frequencies 0, 1, …
  std::vector<double> errors_;                  // relative to their moduli
  double rest_ = 0;                             // no modulus beyond is larger
};

}  // namespace tacit::inline v1::pld
