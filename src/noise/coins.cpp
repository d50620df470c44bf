#include "tacit/noise/coins.hpp"

#include <cmath>

#include "tacit/core/error.hpp"

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
  // The enclosure of U is closed and may touch these two, which U itself does not reach.
  if (p == 0 || p == 1) return p == 1;
  LazyUniform uniform(bits);
  return is_less(
      uniform, [p](slong) { return Ball(p); }, bits);
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
