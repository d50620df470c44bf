#include "noise/gaussian_reference.hpp"

namespace tacit::inline v1::noise {

GaussianReference::GaussianReference(std::size_t dimension, std::span<const std::uint64_t> radius_words,
                                     std::span<const std::uint64_t> angle_words, BitSource& bits)
    : odd_(dimension % 2 == 1),
      bits_(&bits),
      radius_(radius_words.begin(), radius_words.end()),
      angle_(angle_words.begin(), angle_words.end()) {}

Ball GaussianReference::coordinate(std::size_t j, std::size_t words, slong precision) {
  const std::size_t pairs = radius_.size();
  LazyUniform &radius = radius_[j % pairs], &angle = angle_[j % pairs];
  radius.extend(words, *bits_);
  angle.extend(words, *bits_);
  return box_muller_enclosure(radius.enclosure(), angle.enclosure(),
                              j < pairs ? Coordinate::cosine : Coordinate::sine, precision);
}

Ball GaussianReference::length(std::size_t words, slong precision) {
  const std::size_t pairs = radius_.size();
  Ball square =
      minus_log_product(std::span(radius_).first(odd_ ? pairs - 1 : pairs), words, precision, *bits_);
  arb_mul_2exp_si(square.get(), square.get(), 1);
  if (odd_) {
    const Ball last = coordinate(pairs - 1, words, precision);
    arb_addmul(square.get(), last.get(), last.get(), precision);
  }
  arb_sqrtpos(square.get(), square.get(), precision);
  return square;
}

Ball minus_log_product(std::span<LazyUniform> uniforms, std::size_t words, slong precision, BitSource& bits) {
  Ball product(1.0);
  for (LazyUniform& uniform : uniforms) {
    uniform.extend(words, bits);
    arb_mul(product.get(), product.get(), uniform.enclosure().get(), precision);
  }
  arb_log(product.get(), product.get(), precision);
  arb_neg(product.get(), product.get());
  return product;
}

}  // namespace tacit::inline v1::noise
