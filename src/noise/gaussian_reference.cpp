#include "noise/gaussian_reference.hpp"

namespace tacit::inline v1::noise {

GaussianReference::GaussianReference(std::size_t dimension, std::span<const std::uint64_t> radius_words,
                                     std::span<const std::uint64_t> angle_words, BitSource& bits)
    : odd_(dimension % 2 == 1),
      bits_(&bits),
      radius_(radius_words.begin(), radius_words.end()),
      angle_(angle_words.begin(), angle_words.end()) {}

Interval GaussianReference::coordinate(std::size_t j, std::size_t words, long precision) {
  const std::size_t pairs = radius_.size();
  LazyUniform &radius = radius_[j % pairs], &angle = angle_[j % pairs];
  radius.extend(words, *bits_);
  angle.extend(words, *bits_);
  return box_muller_enclosure(radius.enclosure(precision), angle.enclosure(precision),
                              j < pairs ? Coordinate::cosine : Coordinate::sine);
}

Interval GaussianReference::length(std::size_t words, long precision) {
  const std::size_t pairs = radius_.size();
  Interval total =
      minus_log_product(std::span(radius_).first(odd_ ? pairs - 1 : pairs), words, precision, *bits_);
  total = total.times_power_of_two(1);
  if (odd_) total += square(coordinate(pairs - 1, words, precision));
  return sqrt_of_positive(total);
}

Interval minus_log_product(std::span<LazyUniform> uniforms, std::size_t words, long precision,
                           BitSource& bits) {
  Interval product(1, precision);
  for (LazyUniform& uniform : uniforms) {
    uniform.extend(words, bits);
    product *= uniform.enclosure(precision);
  }
  return -log(product);
}

}  // namespace tacit::inline v1::noise
