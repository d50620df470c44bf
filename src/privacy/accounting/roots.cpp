#include "privacy/accounting/roots.hpp"

#include <mpfr.h>

#include <bit>
#include <limits>
#include <mutex>

#include "core/interval.hpp"

namespace tacit::inline v1::pld {

namespace {

// e^{−πi·numerator/denominator}, each part rounded once.
template <class R>
std::complex<R> unit(std::size_t numerator, std::size_t denominator) {
  free_mpfr_caches_at_thread_end();
  mpfr_t turn, part;
  mpfr_init2(turn, std::numeric_limits<std::size_t>::digits);
  mpfr_init2(part, std::numeric_limits<R>::digits);
  mpfr_set_ui(turn, numerator, MPFR_RNDN);
  mpfr_cosu(part, turn, 2 * denominator, MPFR_RNDN);
  const long double cosine = mpfr_get_ld(part, MPFR_RNDN);
  mpfr_sinu(part, turn, 2 * denominator, MPFR_RNDN);
  const long double sine = mpfr_get_ld(part, MPFR_RNDN);
  mpfr_clear(part);
  mpfr_clear(turn);
  return {static_cast<R>(cosine), static_cast<R>(-sine)};
}

// The lowest `digits` binary digits of j, the other way round.
std::size_t mirrored(std::size_t j, int digits) {
  std::size_t result = 0;
  for (int k = 0; k < digits; ++k) result |= (j >> k & 1) << (digits - 1 - k);
  return result;
}

// e^{−πi f(j)·2^{−shift}} for j < 2^digits.
std::vector<std::complex<long double>> units(int digits, int shift) {
  std::vector<std::complex<long double>> result;
  for (std::size_t j = 0; j < std::size_t{1} << digits; ++j)
    result.push_back(unit<long double>(mirrored(j, digits), std::size_t{1} << (digits + shift)));
  return result;
}

// With j = low + 2^digits·high: f(j) = f(low) + f(high)·2^{−digits}.
template <class R>
std::shared_ptr<const Roots<R>> make_roots(std::size_t count) {
  const int all = std::countr_zero(count), digits = all / 2;
  const auto low = units(digits, 1), high = units(all - digits, 1 + digits);
  auto result = std::make_shared<Roots<R>>();
  for (auto* part : {&result->re, &result->im, &result->half_re, &result->half_im}) part->reserve(count);
  for (const auto& coarse : high)
    for (const auto& fine : low) {
      const std::complex<long double> half = times(fine, coarse);
      result->half_re.push_back(static_cast<R>(half.real()));
      result->half_im.push_back(static_cast<R>(half.imag()));
    }
  for (std::size_t j = 0; j < count; ++j) {  // f(2j) = f(j)/2, f(2j+1) = f(j)/2 + ½
    const R re = result->half_re[j / 2], im = result->half_im[j / 2];
    result->re.push_back(j % 2 == 0 ? re : im);
    result->im.push_back(j % 2 == 0 ? im : -re);
  }
  return result;
}

}  // namespace

// They do not depend on the size of a transform, so that the largest table made so far serves all.
template <class R>
std::shared_ptr<const Roots<R>> roots(std::size_t least) {
  constexpr std::size_t fewest = 1024;
  static std::mutex mutex;
  static std::shared_ptr<const Roots<R>> made;
  const std::scoped_lock lock(mutex);
  if (made == nullptr || made->re.size() < least)
    made = make_roots<R>(std::bit_ceil(least < fewest ? fewest : least));
  return made;
}

template <class R>
const Turns<R>& turns(std::size_t at, std::size_t of) {
  const auto make = [](std::size_t numerator, std::size_t denominator) {
    Turns<R> made;
    for (std::size_t l = 0; l < made.size(); ++l) made[l] = unit<R>(numerator, denominator << l);
    return made;
  };
  static const Turns<R> quarters = make(3, 4), third = make(1, 3), fifth = make(1, 5), fifths = make(2, 5);
  if (of == 4) return quarters;
  if (of == 3) return third;
  return at == 1 ? fifth : fifths;
}

template <class R>
std::complex<R> unit_root(std::size_t at, std::size_t of) {
  return unit<R>(2 * at, of);
}

template std::shared_ptr<const Roots<double>> roots(std::size_t);
template std::shared_ptr<const Roots<long double>> roots(std::size_t);
template std::complex<double> unit_root(std::size_t, std::size_t);
template std::complex<long double> unit_root(std::size_t, std::size_t);
template const Turns<double>& turns(std::size_t, std::size_t);
template const Turns<long double>& turns(std::size_t, std::size_t);

}  // namespace tacit::inline v1::pld
