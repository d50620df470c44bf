#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "noise/lazy_uniform.hpp"
#include "noise/round_exactly.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::noise {

// A Gaussian vector by Box–Muller in interval arithmetic, on uniforms of which the first words are drawn.
// With `pairs` of them coordinate j is the cosine of pair j, or the sine of pair j − pairs; of the last pair
// only the cosine counts when the dimension is odd.
class GaussianReference {
 public:
  GaussianReference(std::size_t dimension, std::span<const std::uint64_t> radius_words,
                    std::span<const std::uint64_t> angle_words, BitSource& bits);

  Interval coordinate(std::size_t j, std::size_t words, long precision);
  Interval length(std::size_t words, long precision);

 private:
  bool odd_;
  BitSource* bits_;
  std::vector<LazyUniform> radius_, angle_;
};

// −ln of the product of the uniforms, each with `words` words.
Interval minus_log_product(std::span<LazyUniform> uniforms, std::size_t words, long precision,
                           BitSource& bits);

}  // namespace tacit::inline v1::noise
