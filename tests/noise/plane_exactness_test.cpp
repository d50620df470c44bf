// Claim: noise in the plane of the full blocks is the correctly rounded x + T·U, decided and never
// approximated. As in exactness_test.cpp each of 4000 cases is built: the real value lies 2^−25 … 2^−120
// cells from a rounding boundary. Plain double arithmetic on the same bits is wrong on more than a third of
// them.

#include <gtest/gtest.h>

#include <cmath>

#include "near_boundary.hpp"
#include "noise/plane_draw.hpp"
#include "support/seeded_bits.hpp"

namespace tacit::plane_exactness {
namespace {

using testing::Digits;
using testing::Number;

constexpr int cases = 4000;
constexpr double scale = 1.7;

template <class N>
N minus_log(const Digits& uniform);
template <>
Number minus_log(const Digits& uniform) {
  return Number(-1) * log(uniform.value());
}
template <>
double minus_log(const Digits& uniform) {
  return -std::log(static_cast<double>(uniform.word[0]) * 0x1p-64);
}

template <class N>
N gamma_of(const std::vector<Digits>& uniforms) {
  N sum(0);
  for (const Digits& uniform : uniforms) sum = sum + minus_log<N>(uniform);
  return sum;
}

// The uniforms of one vector, in the order in which their first words are drawn.
struct PlaneCase {
  struct Block {
    FeatureBlock shape;
    noise::PlaneLabels::Block labels;  // of a full one
    std::vector<Digits> part, rest, positives, negatives;
    std::vector<bool> signs;  // of one that is not full: negative
  };
  bool negative;
  std::vector<Digits> gamma, x, y;
  std::vector<Block> blocks;

  PlaneCase(const FeatureBlocks& shape, const noise::PlaneLabels& labels, BitSource& bits)
      : negative(labels.negative) {
    const auto draw = [&](std::size_t count) {
      std::vector<Digits> digits;
      for (std::size_t i = 0; i < count; ++i) digits.push_back(Digits::random(bits));
      return digits;
    };
    std::size_t degree = 0, number = 0;
    for (const FeatureBlock& block : shape.list()) degree += block.full ? block.size - 1 : 0;
    gamma = draw(shape.plane_dimension() + 1);
    x = draw(labels.sum + 1);
    y = draw(degree - labels.sum + 1);
    for (const FeatureBlock& block : shape.list()) {
      Block made{.shape = block,
                 .labels = {},
                 .part = {},
                 .rest = {},
                 .positives = {},
                 .negatives = {},
                 .signs = {}};
      if (block.full) {
        made.labels = labels.blocks[number++];
        const std::size_t below = made.labels.negatives();
        if (made.labels.mu + 1 < block.size) {
          made.part = draw(block.size - 1 - made.labels.mu);
          made.rest = draw(1);
        }
        if (block.size > 1) made.positives = draw(block.size - below);
        made.negatives = draw(below);
      } else {
        made.positives = draw(block.size);
        made.rest = draw(1);
        for (std::size_t l = 0; l < block.size; ++l) made.signs.push_back(draw(1)[0].word[0] % 2 == 0);
      }
      blocks.push_back(std::move(made));
    }
  }

  // Which block a coordinate is in, and where.
  std::pair<const Block*, std::size_t> place(std::size_t coordinate) const {
    for (const Block& block : blocks) {
      if (coordinate < block.shape.size) return {&block, coordinate};
      coordinate -= block.shape.size;
    }
    return {nullptr, 0};
  }

  // The coordinate over T.
  template <class N>
  N over_gamma(std::size_t coordinate) const {
    const auto [block, l] = place(coordinate);
    const N bound(block->shape.bound), minus(-1);
    if (!block->shape.full) {
      const N size = bound * minus_log<N>(block->positives[l]) /
                     (gamma_of<N>(block->positives) + gamma_of<N>(block->rest));
      return block->signs[l] ? minus * size : size;
    }
    const N tau = gamma_of<N>(x) / (gamma_of<N>(x) + gamma_of<N>(y)), side(negative ? -1 : 1);
    if (block->shape.size == 1) return side * bound * tau;
    N below(0);  // (1 − τ)/2 times Beta(k−1−μ, 1)
    if (!block->part.empty())
      below = (N(1) - tau) * N(0.5) * gamma_of<N>(block->part) /
              (gamma_of<N>(block->part) + gamma_of<N>(block->rest));
    std::size_t before = 0;  // features of the same sign
    for (std::size_t i = 0; i < l; ++i) before += block->labels.negative[i] == block->labels.negative[l];
    if (block->labels.negative[l])
      return minus * side * bound * below * minus_log<N>(block->negatives[before]) /
             gamma_of<N>(block->negatives);
    return side * bound * (below + tau) * minus_log<N>(block->positives[before]) /
           gamma_of<N>(block->positives);
  }

  void script(std::size_t coordinate, testing::ScriptedBits& bits) const {
    const auto firsts = [&](const std::vector<Digits>& group) {
      for (const Digits& uniform : group) bits.add(uniform.word[0]);
    };
    for (const auto* group : {&gamma, &x, &y}) firsts(*group);
    for (const Block& block : blocks) {
      if (block.shape.full)
        for (const auto* group : {&block.part, &block.rest, &block.positives, &block.negatives})
          firsts(*group);
      else
        for (const auto* group : {&block.positives, &block.rest}) firsts(*group);
      for (const bool sign : block.signs) bits.add(sign ? 0 : ~std::uint64_t{0});
    }
    // The order in which more digits are drawn: T, X, Y, then what the coordinate's block shares.
    const auto [block, l] = place(coordinate);
    std::vector<const std::vector<Digits>*> order{&gamma, &x, &y};
    if (block->shape.full) {
      order.insert(order.end(), {&block->part, &block->rest});
      order.push_back(block->labels.negative[l] ? &block->negatives : &block->positives);
    } else {
      order.insert(order.end(), {&block->positives, &block->rest});
    }
    for (std::size_t words = 1; words < Digits::words; words *= 2)
      for (const auto* group : order)
        for (const Digits& uniform : *group) bits.add(uniform, words, 2 * words);
  }
};

TEST(PlaneExactness, NoiseInThePlaneIsRoundedCorrectlyNextToABoundary) {
  const std::vector<FeatureBlocks> shapes{
      FeatureBlocks({{2, 1, true}, {1, 1, true}}), FeatureBlocks({{3, 0.5, true}, {2, 0.3, true}}),
      FeatureBlocks({{4, 1, true}, {2, 0.5}, {3, 1, true}, {1, 1, true}})};
  const noise::Lattice lattice = noise::lattice_for(scale, 10);
  const auto random = testing::seeded_bits(2026);
  int exact_wrong = 0, plain_wrong = 0;
  for (int i = 0; i < cases; ++i) {
    const FeatureBlocks& blocks = shapes[static_cast<std::size_t>(i) % shapes.size()];
    const std::size_t d = blocks.features(), j = static_cast<std::size_t>(i / 3) % d;
    const int bits = 25 + i % 96;
    std::uint64_t word;
    random->fill({&word, 1});
    std::vector<double> x(d, 0.0), out(d);
    x[j] = (static_cast<double>(word) * 0x1p-63 - 1) * 10;

    noise::PlaneLaw law(blocks);
    const noise::PlaneLabels labels = law.draw(*random);
    PlaneCase draw(blocks, labels, *random);
    const Number offset = Number(x[j]) / Number(lattice.grid),
                 factor = draw.over_gamma<Number>(j) * Number(scale / lattice.grid);
    const Number gamma = gamma_of<Number>(draw.gamma);
    const Number target = testing::near_boundary(offset + gamma * factor, bits, i % 2 == 0);
    // Move T to the target by changing its first uniform: ln W₁ gives up what T gains.
    const Number gain = (target - offset) / factor - gamma;
    const Number moved = draw.gamma[0].value() * exp(Number(-1) * gain);
    if (!(moved < Number(1))) {  // a uniform cannot pass 1: draw again
      --i;
      continue;
    }
    draw.gamma[0] = Digits::of(moved);

    testing::ScriptedBits script;
    draw.script(j, script);
    noise::add_plane_laplace(x, blocks, labels, scale, lattice, script, out);
    const testing::Rounded truth = testing::reference_round(offset + gamma_of<Number>(draw.gamma) * factor);
    ASSERT_LE(truth.distance, std::ldexp(1.01, -bits));
    ASSERT_GE(truth.distance, std::ldexp(0.99, -bits));
    exact_wrong += out[j] != truth.cells * lattice.grid;
    const double plain = gamma_of<double>(draw.gamma) * draw.over_gamma<double>(j);
    plain_wrong += std::nearbyint((x[j] + scale * plain) / lattice.grid) != truth.cells;
  }
  EXPECT_EQ(exact_wrong, 0);
  EXPECT_GT(plain_wrong, cases / 3);
}

// Blocks of 3 and 1: M is 0, 1, 2 with probabilities 3/8, 3/8, 2/8. Uniforms that lie 2^−64 … 2^−512 from the
// places where it changes are decided by as many digits as that takes.
TEST(PlaneLabels, AreDecidedByAsManyDigitsAsItTakes) {
  noise::PlaneLaw law(FeatureBlocks({{3, 1, true}, {1, 1, true}}));
  for (const auto& [first, next] : std::vector<std::pair<std::uint64_t, std::size_t>>{
           {std::uint64_t{3} << 61, 1}, {std::uint64_t{3} << 62, 2}})
    for (const std::size_t zeros : {1u, 3u, 7u})
      for (const bool above : {true, false}) {
        testing::ScriptedBits bits;
        bits.add(0);                          // the sign
        bits.add(above ? first : first - 1);  // 3/8 or 3/4, or just below
        for (std::size_t i = 1; i < zeros; ++i) bits.add(above ? 0 : ~std::uint64_t{0});
        for (int i = 0; i < 8; ++i) bits.add(std::uint64_t{1} << 63);
        for (int i = 0; i < 8; ++i) bits.add(1);
        EXPECT_EQ(law.draw(bits).sum, above ? next : next - 1) << zeros;
      }
}

}  // namespace
}  // namespace tacit::plane_exactness
