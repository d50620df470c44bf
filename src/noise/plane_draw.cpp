#include "noise/plane_draw.hpp"

#include "noise/coins.hpp"
#include "noise/gaussian_reference.hpp"
#include "noise/round_exactly.hpp"

namespace tacit::inline v1::noise {

PlaneDraw::PlaneDraw(const FeatureBlocks& blocks, const PlaneLabels& labels, BitSource& bits)
    : bits_(&bits), negative_(labels.negative) {
  std::size_t degree = 0, full = 0;
  for (const FeatureBlock& block : blocks.list())
    if (block.full) degree += block.size - 1;
  gamma_ = draw(blocks.plane_dimension() + 1, bits);
  x_ = draw(labels.sum + 1, bits);
  y_ = draw(degree - labels.sum + 1, bits);
  for (const FeatureBlock& block : blocks.list())
    block.full ? add_full(block, labels.blocks.at(full++), bits) : add_free(block, bits);
}

PlaneDraw::Group PlaneDraw::draw(std::size_t count, BitSource& bits) {
  const Group group{uniforms_.size(), count};
  for (std::size_t i = 0; i < count; ++i) uniforms_.emplace_back(bits);
  return group;
}

void PlaneDraw::add_full(const FeatureBlock& block, const PlaneLabels::Block& labels, BitSource& bits) {
  const std::size_t k = block.size, negatives = labels.negatives();
  Block made{.full = true, .size = k, .bound = block.bound};
  if (k > 1 && labels.mu + 1 < k) {
    made.shape = draw(k - 1 - labels.mu, bits);
    made.rest = draw(1, bits);
  }
  if (k > 1) {
    made.positives = draw(k - negatives, bits);
    made.negatives = draw(negatives, bits);
  }
  std::size_t positive = made.positives.first, negative = made.negatives.first;
  for (std::size_t l = 0; l < k; ++l)
    features_.push_back({.block = blocks_.size(),
                         .uniform = labels.negative[l] ? negative++ : positive++,
                         .negative = labels.negative[l]});
  blocks_.push_back(made);
}

void PlaneDraw::add_free(const FeatureBlock& block, BitSource& bits) {
  Block made{.full = false, .size = block.size, .bound = block.bound};
  made.positives = draw(block.size, bits);
  made.rest = draw(1, bits);
  for (std::size_t l = 0; l < block.size; ++l)
    features_.push_back(
        {.block = blocks_.size(), .uniform = made.positives.first + l, .negative = bernoulli(0.5, bits)});
  blocks_.push_back(made);
}

Interval PlaneDraw::sum(const Group& group, std::size_t words, long precision) {
  return minus_log_product(std::span(uniforms_).subspan(group.first, group.count), words, precision, *bits_);
}

PlaneDraw::Shared& PlaneDraw::shared(std::size_t words, long precision) {
  const auto known = shared_.find(words);
  if (known != shared_.end()) return known->second;
  Shared made{.gamma = sum(gamma_, words, precision),
              .x = sum(x_, words, precision),
              .y = sum(y_, words, precision),
              .stretch = {}};
  return shared_.emplace(words, std::move(made)).first->second;
}

// A feature is its own Gamma(1) variable times this: what its group shares, over the group's sum, times ρ.
const Interval& PlaneDraw::stretch(const Feature& feature, Shared& shared, std::size_t words,
                                   long precision) {
  const Block& block = blocks_[feature.block];
  const std::size_t key = 2 * feature.block + (block.full && feature.negative ? 1 : 0);
  const auto known = shared.stretch.find(key);
  if (known != shared.stretch.end()) return known->second;
  Interval result(1, precision);
  if (!block.full) {
    const Interval shared_out = sum(block.positives, words, precision);
    result /= shared_out + sum(block.rest, words, precision);
  } else {
    Interval below(0, precision);  // n·(X + Y)
    if (block.shape.count > 0) {
      const Interval g = sum(block.shape, words, precision);
      below = (shared.y * g / (g + sum(block.rest, words, precision))).times_power_of_two(-1);
    }
    result = (feature.negative ? below : below + shared.x) / (shared.x + shared.y);
    if (block.size > 1) result /= sum(feature.negative ? block.negatives : block.positives, words, precision);
  }
  return shared.stretch.emplace(key, result * block.bound).first->second;
}

Interval PlaneDraw::coordinate(std::size_t index, std::size_t words, long precision) {
  const Feature& feature = features_.at(index);
  const Block& block = blocks_[feature.block];
  Shared& common = shared(words, precision);
  Interval result = common.gamma * stretch(feature, common, words, precision);
  if (!block.full || block.size > 1) result *= sum({feature.uniform, 1}, words, precision);
  return feature.negative != (block.full && negative_) ? -result : result;
}

void add_plane_laplace(std::span<const double> x, const FeatureBlocks& blocks, const PlaneLabels& labels,
                       double scale, const Lattice& lattice, BitSource& bits, std::span<double> out) {
  PlaneDraw draw(blocks, labels, bits);
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] = round_exactly(x[i], scale, lattice, draw.uniforms(), [&](std::size_t words, long precision) {
      return draw.coordinate(i, words, precision);
    });
}

}  // namespace tacit::inline v1::noise
