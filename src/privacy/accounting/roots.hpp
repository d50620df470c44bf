#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace tacit::inline v1::pld {

// Without the checks for infinities that std::complex's product makes. Relative error at most √5·u [Brent,
// Percival & Zimmermann 2007].
template <class R>
std::complex<R> times(std::complex<R> a, std::complex<R> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// With f(j) the binary digits of j mirrored at the point, 1 → ½, 2 → ¼, 3 → ¾: e^{−πi f(j)} and e^{−πi
// f(j)/2}. These are the roots that split the j-th of 2^l factors, whatever l is. Relative error at most 4.3
// u: of two roots that were rounded once, and their product.
template <class R>
struct Roots {
  std::vector<R> re, im, half_re, half_im;
};
template <class R>
std::shared_ptr<const Roots<R>> roots(
    std::size_t least);  // the first `least` of them, a power of two, or more

// e^{−πi·at/(of·2^l)} for l = 0, 1, …, each part rounded once: what the roots of level l are turned by where
// the first factor is not x^n − 1 but x^n − e^{−2πi·at/of}.
template <class R>
using Turns = std::array<std::complex<R>, 32>;
template <class R>
const Turns<R>& turns(std::size_t at, std::size_t of);  // 3/4, 1/3, 1/5 or 2/5

// e^{−2πi·at/of}, each part rounded once.
template <class R>
std::complex<R> unit_root(std::size_t at, std::size_t of);

}  // namespace tacit::inline v1::pld
