#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/interval.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::noise {

// A uniform real in (0, 1) of which only the first binary digits have been drawn, 64 at a time. What is not
// yet drawn is not yet decided: the number is any in [w, w + 1]·2^(−64·words). A small one has leading zeros
// and gets its relative precision by drawing more.
class TACIT_API LazyUniform {
 public:
  explicit LazyUniform(std::uint64_t first_word) : first_(first_word) {}
  explicit LazyUniform(BitSource& bits) { bits.fill({&first_, 1}); }

  // Draws until `words` words are known.
  void extend(std::size_t words, BitSource& bits);
  Interval enclosure(long precision) const;

 private:
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> rest_;
};

// No decision needs this many words of one uniform unless the bit source is broken: what is left undecided
// after w words has a probability of about 2^(−64 w).
inline constexpr std::size_t most_words = 1024;

// The working precision, in bits, that makes full use of `words` words when `terms` uniforms are combined.
TACIT_API long precision_for(std::size_t words, std::size_t terms);

// Throws Error once `words` passes most_words.
TACIT_API void require_sane_bits(std::size_t words);

}  // namespace tacit::inline v1::noise
