#include "noise/shaped_draw.hpp"

#include <cmath>

#include "core/numbers.hpp"
#include "noise/estimates.hpp"
#include "noise/sampler_paths.hpp"

namespace tacit::inline v1::noise {

namespace {
std::ptrdiff_t as_offset(std::size_t count) { return static_cast<std::ptrdiff_t>(count); }
}  // namespace

ShapedDraw::ShapedDraw(const FeatureBlocks& blocks, std::size_t outputs, BitSource& bits,
                       const Kernels& kernels)
    : blocks_(blocks),
      outputs_(outputs),
      parameters_(outputs * blocks.features()),
      pairs_(outputs == 1 ? 0 : (outputs + 1) / 2),
      kernels_(kernels),
      z_(parameters_),
      error_(parameters_) {
  const auto draw = [&](std::vector<std::uint64_t>& words, std::size_t count) {
    words.resize(padded(count));
    bits.fill(std::span(words).first(count));
  };
  const std::size_t features = blocks.features(), shares = parameters_ + blocks.list().size();
  draw(gamma_words_, parameters_ + 1);
  draw(share_words_, shares);
  log_.resize(padded(shares));
  kernels.to_uniform(share_words_.data(), log_.data(), shares);
  kernels.minus_log(log_.data(), shares);
  if (outputs == 1) {
    draw(sign_words_, (features + 63) / 64);
  } else {
    const std::size_t pairs = features * pairs_;
    draw(radius_words_, pairs);
    draw(angle_words_, pairs);
    for (auto* array : {&cosine_, &sine_, &t_, &pair_error_}) array->resize(padded(pairs));
    kernels.box_muller(radius_words_.data(), angle_words_.data(), cosine_.data(), sine_.data(), t_.data(),
                       pair_error_.data(), pairs);
  }
  std::size_t feature = 0, word = 0;
  for (const FeatureBlock& block : blocks.list()) {
    evaluate_block(feature, word, block);
    feature += block.size;
    word += block.size * outputs + 1;
  }
}

// R_l = ρ·G_l/S for each feature of the block.
void ShapedDraw::evaluate_block(std::size_t first_feature, std::size_t first_word,
                                const FeatureBlock& block) {
  const std::size_t terms = block.size * outputs_ + 1;
  double total = 0, total_error = 0;
  for (std::size_t i = first_word; i < first_word + terms; ++i) {
    total += log_[i];
    total_error += log_error(share_words_[i], log_[i]);
  }
  // The sum of `terms` numbers ≥ 0 is within γ_terms of theirs.
  const double relative = usable(1.05 * (total_error / total + gamma_bound(terms)));
  const double stretch = block.bound / total;
  for (std::size_t l = 0; l < block.size; ++l) {
    double share = 0, share_error = 0;
    for (std::size_t i = first_word + l * outputs_; i < first_word + (l + 1) * outputs_; ++i) {
      share += log_[i];
      share_error += log_error(share_words_[i], log_[i]);
    }
    // ρ/S is off by 1.02·relative, + u each for the quotient and the product; G_l by its terms and their sum.
    const double radius = stretch * share;
    const double sum_error = gamma_bound(outputs_) * share;
    evaluate_feature(first_feature + l, radius,
                     1.05 * (stretch * (share_error + sum_error) + radius * (relative + 3 * u)));
  }
}

// U_l = R_l·d_l.
void ShapedDraw::evaluate_feature(std::size_t feature, double radius, double radius_error) {
  if (outputs_ == 1) {
    z_[feature] = negative(feature) ? -radius : radius;
    error_[feature] = 1.03 * radius_error;
    return;
  }
  const std::size_t first = feature * pairs_, features = blocks_.features();
  double total = 0, total_error = 0;
  for (std::size_t i = first; i < first + pairs_; ++i) {
    const bool cosine_alone = outputs_ % 2 == 1 && i + 1 == first + pairs_;
    total += cosine_alone ? 0.5 * cosine_[i] * cosine_[i] : t_[i];
    total_error += cosine_alone ? 1.05 * half_square_error(cosine_[i], pair_error_[i])
                                : log_error(radius_words_[i], t_[i]);
  }
  const Estimate length = gaussian_length(total, 1.05 * (total_error + gamma_bound(pairs_ + 1) * total));
  for (std::size_t o = 0; o < outputs_; ++o) {
    const std::size_t pair = first + o % pairs_;
    const double along = (o < pairs_ ? cosine_ : sine_)[pair] / length.value;
    const double along_error =
        1.05 * (pair_error_[pair] / length.value + std::fabs(along) * (length.relative_error + 2 * u));
    const double z = radius * along;
    z_[o * features + feature] = z;
    error_[o * features + feature] =
        1.05 * (radius_error * (std::fabs(along) + along_error) + radius * along_error) +
        3 * u * std::fabs(z);
  }
}

bool ShapedDraw::round(std::span<const double> x, double scale, const Lattice& lattice,
                       std::span<double> out) const {
  const Estimate gamma = gamma_sum(gamma_words_, parameters_ + 1, kernels_);
  BlockRounding rounding = block_rounding(scale, lattice);
  rounding.multiplier *= gamma.value;
  rounding.relative_error = usable(1.02 * gamma.relative_error + 2 * u);
  return kernels_.round(x.data(), z_.data(), error_.data(), out.data(), parameters_, rounding);
}

ShapedReference::ShapedReference(const ShapedDraw& draw, BitSource& bits)
    : draw_(draw),
      bits_(bits),
      gamma_(draw.gamma_words_.begin(), draw.gamma_words_.begin() + as_offset(draw.parameters_ + 1)),
      shares_(draw.share_words_.begin(),
              draw.share_words_.begin() + as_offset(draw.parameters_ + draw.blocks_.list().size())),
      block_words_{0} {
  for (const FeatureBlock& block : draw.blocks_.list()) {
    for (std::size_t l = 0; l < block.size; ++l)
      features_.push_back({block_words_.size() - 1, block_words_.back() + l * draw.outputs_});
    block_words_.push_back(block_words_.back() + block.size * draw.outputs_ + 1);
  }
}

Interval ShapedReference::coordinate(std::size_t parameter, std::size_t words, long precision) {
  const std::size_t features = draw_.blocks_.features(), feature = parameter % features;
  const auto [block, first_word] = features_[feature];
  Interval result =
      minus_log_product(std::span(shares_).subspan(first_word, draw_.outputs_), words, precision, bits_);
  result /= block_sum(block, words, precision);
  result *= gamma(words, precision);
  result = result * draw_.blocks_.list()[block].bound;
  if (draw_.outputs_ == 1) return draw_.negative(feature) ? -result : result;
  GaussianReference& gaussian = direction(feature);
  result *= gaussian.coordinate(parameter / features, words, precision);
  result /= gaussian.length(words, precision);
  return result;
}

const Interval& ShapedReference::gamma(std::size_t words, long precision) {
  const auto known = gammas_.find(words);
  if (known != gammas_.end()) return known->second;
  return gammas_.emplace(words, minus_log_product(gamma_, words, precision, bits_)).first->second;
}

const Interval& ShapedReference::block_sum(std::size_t block, std::size_t words, long precision) {
  const auto known = block_sums_.find({block, words});
  if (known != block_sums_.end()) return known->second;
  const std::size_t begin = block_words_[block], count = block_words_[block + 1] - begin;
  Interval sum = minus_log_product(std::span(shares_).subspan(begin, count), words, precision, bits_);
  return block_sums_.emplace(std::pair(block, words), std::move(sum)).first->second;
}

GaussianReference& ShapedReference::direction(std::size_t feature) {
  const auto known = directions_.find(feature);
  if (known != directions_.end()) return known->second;
  return directions_
      .emplace(feature, GaussianReference(draw_.outputs_, draw_.of_feature(draw_.radius_words_, feature),
                                          draw_.of_feature(draw_.angle_words_, feature), bits_))
      .first->second;
}

}  // namespace tacit::inline v1::noise
