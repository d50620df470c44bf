#include "noise/coins.hpp"

#include <cmath>
#include <cstdint>

#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

bool is_less(LazyUniform& uniform, const RealNumber& p, BitSource& bits) {
  for (std::size_t words = 1;; words *= 2) {
    require_sane_bits(words);
    uniform.extend(words, bits);
    const long precision = precision_for(words, 1);
    const Interval number = p(precision), drawn = uniform.enclosure(precision);
    if (drawn < number) return true;
    if (drawn > number) return false;
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

std::size_t draw_below(std::size_t bound, BitSource& bits) {
  const std::uint64_t reject = -bound % bound;  // 2^64 mod bound: words below it would favour small results
  for (;;) {
    std::uint64_t word = 0;
    bits.fill({&word, 1});
    if (word >= reject) return word % bound;
  }
}

bool bernoulli_exp(double x, BitSource& bits) {
  if (std::isnan(x)) throw_error<UsageError>("an exponent is NaN, expected a number");
  if (x <= 0) return true;
  if (std::isinf(x)) return false;
  // What the first word decides in doubles is decided.
  std::uint64_t word = 0;
  bits.fill({&word, 1});
  if (next_up(add_up(static_cast<double>(word), 1)) * 0x1p-64 < exp_down(-x)) return true;
  if (next_down(static_cast<double>(word)) * 0x1p-64 > exp_up(-x)) return false;
  LazyUniform uniform(word);
  const RealNumber threshold = [x](long precision) { return exp(Interval(-x, precision)); };
  return is_less(uniform, threshold, bits);
}

bool bernoulli_exp(const RealNumber& x, BitSource& bits) {
  LazyUniform uniform(bits);
  const RealNumber threshold = [&x](long precision) { return exp(-x(precision)); };
  return is_less(uniform, threshold, bits);
}

}  // namespace tacit::inline v1::noise
