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

Ball LazyUniform::enclosure() const {
  // Middle and radius of [w, w + 1]·2^(−digits).
  Ball result;
  arb_set_ui(result.get(), first_);
  const auto exact = static_cast<slong>(64 * (rest_.size() + 1) + 1);
  Ball word;
  for (const std::uint64_t next : rest_) {
    arb_mul_2exp_si(result.get(), result.get(), 64);
    arb_set_ui(word.get(), next);
    arb_add(result.get(), result.get(), word.get(), exact);
  }
  arb_mul_2exp_si(result.get(), result.get(), 1);
  arb_add_ui(result.get(), result.get(), 1, exact);
  arb_mul_2exp_si(result.get(), result.get(), -exact);
  mag_t radius;
  mag_init(radius);
  mag_set_ui_2exp_si(radius, 1, -exact);
  arb_add_error_mag(result.get(), radius);
  mag_clear(radius);
  return result;
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
