#include "noise/coins.hpp"

#include <cmath>
#include <cstdint>

#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

bool is_less(LazyUniform& uniform, const RealNumber& p, BitSource& bits) {
  for (std::size_t words = 1;; words *= 2) {
    require_sane_bits(words);
    uniform.extend(words, bits);
    const Ball number = p(precision_for(words, 1)), drawn = uniform.enclosure();
    if (arb_lt(drawn.get(), number.get())) return true;
    if (arb_gt(drawn.get(), number.get())) return false;
  }
}

bool bernoulli(double p, BitSource& bits) {
  if (!(p >= 0 && p <= 1)) throw_error<UsageError>("a probability is {}, expected 0 <= p <= 1", p);
  if (p == 1) return true;
  // U < p, by 64 binary digits of each at a time; a power of two and the difference leave p exact. A double
  // has no digits after some words, and U is not below what is 0.
  while (p > 0) {
    const double digits = std::floor(0x1p64 * p);
    std::uint64_t drawn = 0;
    bits.fill({&drawn, 1});
    if (drawn != static_cast<std::uint64_t>(digits)) return drawn < static_cast<std::uint64_t>(digits);
    p = 0x1p64 * p - digits;
  }
  return false;
}

bool bernoulli_exp(double x, BitSource& bits) {
  if (std::isnan(x)) throw_error<UsageError>("an exponent is NaN, expected a number");
  if (x <= 0) return true;
  if (std::isinf(x)) return false;
  return bernoulli_exp([x](slong) { return Ball(x); }, bits);
}

bool bernoulli_exp(const RealNumber& x, BitSource& bits) {
  LazyUniform uniform(bits);
  const RealNumber threshold = [&x](slong precision) {
    Ball number = x(precision);
    arb_neg(number.get(), number.get());
    arb_exp(number.get(), number.get(), precision);
    return number;
  };
  return is_less(uniform, threshold, bits);
}

}  // namespace tacit::inline v1::noise
