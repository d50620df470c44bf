#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "noise/gaussian_reference.hpp"
#include "noise/kernels.hpp"
#include "noise/samplers.hpp"
#include "tacit/data.hpp"

// Noise of density ∝ exp(−‖b‖_K) [docs/shaped_noise.md, "Sampling"]: b = T·U, T ~ Gamma(rp + 1), U uniform in
// K. Block by block: with G_l ~ Gamma(r) for each of its features and E ~ Gamma(1), S = ΣG_l + E,
//   U_l = ρ·(G_l/S)·d_l,   d_l uniform on the unit sphere of ℝʳ: a sign for r = 1, else a Gaussian vector
//   over its length.
// T, G_l and E are sums of −ln of uniforms.

namespace tacit::inline v1::noise {

// Everything drawn for one vector, and its evaluation in doubles.
class ShapedDraw {
 public:
  ShapedDraw(const FeatureBlocks& blocks, std::size_t outputs, BitSource& bits, const Kernels& kernels);

  // Rounds what the error bounds decide and leaves NaN elsewhere; true where all are decided.
  bool round(std::span<const double> x, double scale, const Lattice& lattice, std::span<double> out) const;

 private:
  friend class ShapedReference;

  void evaluate_block(std::size_t first_feature, std::size_t first_word, const FeatureBlock& block);
  void evaluate_feature(std::size_t feature, double radius, double radius_error);
  bool negative(std::size_t feature) const { return (sign_words_[feature / 64] >> (feature % 64) & 1) != 0; }
  std::span<const std::uint64_t> of_feature(const std::vector<std::uint64_t>& words,
                                            std::size_t feature) const {
    return std::span(words).subspan(feature * pairs_, pairs_);
  }

  const FeatureBlocks& blocks_;
  std::size_t outputs_, parameters_;
  std::size_t pairs_;  // Box–Muller pairs a feature; 0 for one output
  const Kernels& kernels_;
  std::vector<std::uint64_t> gamma_words_;   // of T
  std::vector<std::uint64_t> share_words_;   // block by block: those of G_l, feature by feature, and of E
  std::vector<std::uint64_t> sign_words_;    // one output: a bit a feature, 1 for negative
  std::vector<std::uint64_t> radius_words_;  // more outputs: the pairs of the Gaussian vectors
  std::vector<std::uint64_t> angle_words_;
  std::vector<double> log_, cosine_, sine_, t_, pair_error_;
  std::vector<double> z_, error_;  // U and a bound on its error·1.02, output by output
};

// The same vector in interval arithmetic. What coordinates share is computed once for each number of words.
class ShapedReference {
 public:
  ShapedReference(const ShapedDraw& draw, BitSource& bits);
  Interval coordinate(std::size_t parameter, std::size_t words, long precision);

 private:
  struct Place {
    std::size_t block, first_word;
  };
  const Interval& gamma(std::size_t words, long precision);
  const Interval& block_sum(std::size_t block, std::size_t words, long precision);
  GaussianReference& direction(std::size_t feature);

  const ShapedDraw& draw_;
  BitSource& bits_;
  std::vector<LazyUniform> gamma_, shares_;
  std::vector<Place> features_;           // where a feature's words are
  std::vector<std::size_t> block_words_;  // where a block's begin, and the end of all
  std::map<std::size_t, GaussianReference> directions_;
  std::map<std::size_t, Interval> gammas_;
  std::map<std::pair<std::size_t, std::size_t>, Interval> block_sums_;
};

}  // namespace tacit::inline v1::noise
