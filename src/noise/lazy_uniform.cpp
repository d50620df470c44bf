#include "noise/lazy_uniform.hpp"

#include <bit>
#include <span>

#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

void LazyUniform::extend(std::size_t words, BitSource& bits) {
  const std::size_t known = rest_.size();
  if (words <= 1 + known) return;
  rest_.resize(words - 1);
  bits.fill(std::span(rest_).subspan(known));
}

Interval LazyUniform::enclosure(long precision) const {
  return Interval::of_digits(first_, rest_, precision);
}

long precision_for(std::size_t words, std::size_t terms) {
  return static_cast<long>(64 * words + 64) + std::bit_width(terms);
}

void require_sane_bits(std::size_t words) {
  if (words > most_words)
    throw_error<Error>("{} random bits did not decide a comparison; the bit source is broken",
                       64 * most_words);
}

}  // namespace tacit::inline v1::noise
