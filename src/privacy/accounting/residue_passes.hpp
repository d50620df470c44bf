#pragma once

#include <complex>
#include <cstddef>

#include "privacy/accounting/roots.hpp"

// One splitting of polynomials modulo x^{2m} − c² into residues modulo x^m − c and x^m + c, or two at once,
// and the way back, which leaves out factors of ½. Real and imaginary parts apart, for the sake of wide
// registers.

namespace tacit::inline v1::pld {

// a + c·b and a − c·b in place of a and b.
template <class R>
void split_in_two(R* __restrict re, R* __restrict im, std::size_t m, std::complex<R> c) {
  for (std::size_t k = 0; k < m; ++k) {
    const std::complex<R> a(re[k], im[k]), b = times({re[k + m], im[k + m]}, c);
    re[k] = a.real() + b.real();
    im[k] = a.imag() + b.imag();
    re[k + m] = a.real() - b.real();
    im[k + m] = a.imag() - b.imag();
  }
}

template <class R>
void join_two(R* __restrict re, R* __restrict im, std::size_t m, std::complex<R> c) {
  for (std::size_t k = 0; k < m; ++k) {
    const std::complex<R> a(re[k], im[k]), b(re[k + m], im[k + m]);
    const std::complex<R> difference = times({a.real() - b.real(), a.imag() - b.imag()}, std::conj(c));
    re[k] = a.real() + b.real();
    im[k] = a.imag() + b.imag();
    re[k + m] = difference.real();
    im[k + m] = difference.imag();
  }
}

// Modulo x^{2m} ∓ c first, then by d, where d² = c, and by −id.
template <class R>
struct Four {
  std::complex<R> x0, x1, x2, x3;
};

template <class R>
Four<R> split(const Four<R>& x, std::complex<R> c, std::complex<R> d, std::complex<R> cd) {
  const std::complex<R> x1 = times(x.x1, d), x2 = times(x.x2, c), x3 = times(x.x3, cd);
  const std::complex<R> u0(x.x0.real() + x2.real(), x.x0.imag() + x2.imag()),
      v0(x.x0.real() - x2.real(), x.x0.imag() - x2.imag());
  const std::complex<R> u1(x1.real() + x3.real(), x1.imag() + x3.imag()),
      v1(x1.real() - x3.real(), x1.imag() - x3.imag());
  return {{u0.real() + u1.real(), u0.imag() + u1.imag()},
          {u0.real() - u1.real(), u0.imag() - u1.imag()},
          {v0.real() + v1.imag(), v0.imag() - v1.real()},
          {v0.real() - v1.imag(), v0.imag() + v1.real()}};
}

template <class R>
Four<R> join(const Four<R>& y, std::complex<R> c, std::complex<R> d, std::complex<R> cd) {
  const std::complex<R> u0(y.x0.real() + y.x1.real(), y.x0.imag() + y.x1.imag()),
      u1(y.x0.real() - y.x1.real(), y.x0.imag() - y.x1.imag());
  const std::complex<R> v0(y.x2.real() + y.x3.real(), y.x2.imag() + y.x3.imag()),
      v1(y.x3.imag() - y.x2.imag(), y.x2.real() - y.x3.real());
  return {{u0.real() + v0.real(), u0.imag() + v0.imag()},
          times({u1.real() + v1.real(), u1.imag() + v1.imag()}, std::conj(d)),
          times({u0.real() - v0.real(), u0.imag() - v0.imag()}, std::conj(c)),
          times({u1.real() - v1.real(), u1.imag() - v1.imag()}, std::conj(cd))};
}

enum class Way { forward, backward };

template <Way way, class R>
void fours(R* __restrict re, R* __restrict im, std::size_t m, std::complex<R> c, std::complex<R> d) {
  const std::complex<R> cd = times(c, d);
  for (std::size_t k = 0; k < m; ++k) {
    const Four<R> x{{re[k], im[k]},
                    {re[k + m], im[k + m]},
                    {re[k + 2 * m], im[k + 2 * m]},
                    {re[k + 3 * m], im[k + 3 * m]}};
    const Four<R> y = way == Way::forward ? split(x, c, d, cd) : join(x, c, d, cd);
    re[k] = y.x0.real();
    im[k] = y.x0.imag();
    re[k + m] = y.x1.real();
    im[k + m] = y.x1.imag();
    re[k + 2 * m] = y.x2.real();
    im[k + 2 * m] = y.x2.imag();
    re[k + 3 * m] = y.x3.real();
    im[k + 3 * m] = y.x3.imag();
  }
}

}  // namespace tacit::inline v1::pld
