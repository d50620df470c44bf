// Claim: shaped noise is the correctly rounded x + T·U, decided and never approximated. As in
// exactness_test.cpp each of 10^4 cases is built: the real value lies 2^−25 … 2^−120 cells from a rounding
// boundary. Plain double arithmetic on the same bits is wrong on more than a third of them.

#include <gtest/gtest.h>

#include <cmath>

#include "near_boundary.hpp"
#include "noise/sampler_paths.hpp"
#include "support/seeded_bits.hpp"

namespace tacit {
namespace {

using testing::Digits;
using testing::Number;

constexpr int cases = 10000;
constexpr double scale = 1.7;

double first_word(const Digits& digits) { return static_cast<double>(digits.word[0]) * 0x1p-64; }

Number minus_log_sum(std::span<const Digits> uniforms) {
  Number sum;
  for (const Digits& uniform : uniforms) sum = sum - log(uniform.value());
  return sum;
}
double plain_minus_log_sum(std::span<const Digits> uniforms) {
  double sum = 0;
  for (const Digits& uniform : uniforms) sum -= std::log(first_word(uniform));
  return sum;
}

// One vector, and one coordinate of it that is looked at: output o of feature l of a block.
struct ShapedCase {
  const FeatureBlocks& blocks;
  std::size_t outputs, block, feature, output;
  std::vector<Digits> gamma, radius, angle;  // of T, of the Gaussian directions
  std::vector<std::vector<Digits>> shares;   // of G and E, by block
  std::uint64_t signs = 0;

  std::size_t pairs() const { return (outputs + 1) / 2; }
  std::size_t first_in_block() const {
    std::size_t first = 0;
    for (std::size_t j = 0; j < block; ++j) first += blocks.list()[j].size;
    return first;
  }

  ShapedCase(const FeatureBlocks& shape, std::size_t r, std::size_t parameter, BitSource& bits)
      : blocks(shape),
        outputs(r),
        block(0),
        feature(parameter % shape.features()),
        output(parameter / shape.features()) {
    while (first_in_block() + shape.list()[block].size <= feature) ++block;
    const auto draw = [&](std::size_t count) {
      std::vector<Digits> digits;
      for (std::size_t i = 0; i < count; ++i) digits.push_back(Digits::random(bits));
      return digits;
    };
    gamma = draw(r * shape.features() + 1);
    for (const FeatureBlock& one : shape.list()) shares.push_back(draw(one.size * r + 1));
    if (r > 1) {
      radius = draw(pairs() * shape.features());
      angle = draw(pairs() * shape.features());
    } else {
      bits.fill({&signs, 1});
    }
  }

  std::span<const Digits> own_share() const {
    return std::span(shares[block]).subspan((feature - first_in_block()) * outputs, outputs);
  }
  bool negative() const { return (signs >> feature & 1) != 0; }

  Number gaussian(std::size_t o) const {
    const std::size_t pair = feature * pairs() + o % pairs();
    const Number size = sqrt(Number(-2) * log(radius[pair].value()));
    return size * (o < pairs() ? cos_2pi(angle[pair].value()) : sin_2pi(angle[pair].value()));
  }
  // The coordinate divided by T; the length from all coordinates, not from the pairs' logarithms.
  Number over_gamma() const {
    const Number size =
        Number(blocks.list()[block].bound) * minus_log_sum(own_share()) / minus_log_sum(shares[block]);
    if (outputs == 1) return negative() ? Number(-1) * size : size;
    Number squares;
    for (std::size_t o = 0; o < outputs; ++o) squares = squares + gaussian(o) * gaussian(o);
    return size * gaussian(output) / sqrt(squares);
  }
  double plain() const {
    const double size = blocks.list()[block].bound * plain_minus_log_sum(gamma) *
                        plain_minus_log_sum(own_share()) / plain_minus_log_sum(shares[block]);
    if (outputs == 1) return negative() ? -size : size;
    double squares = 0, wanted = 0;
    for (std::size_t o = 0; o < outputs; ++o) {
      const std::size_t pair = feature * pairs() + o % pairs();
      const double turn = 2 * M_PI * first_word(angle[pair]);
      const double z = std::sqrt(-2 * std::log(first_word(radius[pair]))) *
                       (o < pairs() ? std::cos(turn) : std::sin(turn));
      squares += z * z;
      if (o == output) wanted = z;
    }
    return size * wanted / std::sqrt(squares);
  }

  void script(testing::ScriptedBits& bits) const {
    for (const Digits& uniform : gamma) bits.add(uniform.word[0]);
    for (const auto& group : shares)
      for (const Digits& uniform : group) bits.add(uniform.word[0]);
    if (outputs == 1) bits.add(signs);
    for (const auto* group : {&radius, &angle})
      for (const Digits& uniform : *group) bits.add(uniform.word[0]);
    // The order in which the slow path extends: the feature's share, the rest of its block, T, the
    // coordinate's own pair, the other pairs' radii, and the last pair when its cosine alone counts.
    std::vector<const Digits*> order;
    for (const Digits& uniform : own_share()) order.push_back(&uniform);
    for (const Digits& uniform : shares[block])
      if (&uniform < own_share().data() || &uniform >= own_share().data() + outputs)
        order.push_back(&uniform);
    for (const Digits& uniform : gamma) order.push_back(&uniform);
    if (outputs > 1) {
      const std::size_t first = feature * pairs(), own = first + output % pairs(), last = first + pairs() - 1;
      order.insert(order.end(), {&radius[own], &angle[own]});
      for (std::size_t k = first; k <= last; ++k)
        if (k != own) order.push_back(&radius[k]);
      if (outputs % 2 == 1 && own != last) order.push_back(&angle[last]);
    }
    for (std::size_t words = 1; words < Digits::words; words *= 2)
      for (const Digits* digits : order) bits.add(*digits, words, 2 * words);
  }
};

class ShapedExactness : public ::testing::TestWithParam<const noise::Kernels* (*)()> {};

TEST_P(ShapedExactness, ShapedNoiseIsRoundedCorrectlyNextToABoundary) {
  const std::vector<FeatureBlocks> shapes{FeatureBlocks({{1, 1}}), FeatureBlocks({{3, 1}}),
                                          FeatureBlocks({{2, 0.5}, {1, 1}}),
                                          FeatureBlocks({{1, 0.3}, {1, 1}, {2, 0.7}})};
  const noise::Lattice lattice = noise::lattice_for(scale, 10);
  const auto random = testing::seeded_bits(2025);
  int exact_wrong = 0, plain_wrong = 0;
  for (int i = 0; i < cases; ++i) {
    const FeatureBlocks& blocks = shapes[static_cast<std::size_t>(i) % shapes.size()];
    const std::size_t outputs = 1 + static_cast<std::size_t>(i / 4) % 4, d = outputs * blocks.features(),
                      j = static_cast<std::size_t>(i / 16) % d;
    const int bits = 25 + i % 96;
    std::uint64_t word;
    random->fill({&word, 1});
    std::vector<double> x(d, 0.0), out(d);
    x[j] = (static_cast<double>(word) * 0x1p-63 - 1) * 10;

    ShapedCase draw(blocks, outputs, j, *random);
    const Number offset = Number(x[j]) / Number(lattice.grid),
                 factor = draw.over_gamma() * Number(scale / lattice.grid);
    const Number gamma = minus_log_sum(draw.gamma);
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
    draw.script(script);
    noise::add_shaped_laplace(x, blocks, outputs, scale, lattice, script, out, *GetParam()());
    const testing::Rounded truth = testing::reference_round(offset + minus_log_sum(draw.gamma) * factor);
    ASSERT_LE(truth.distance, std::ldexp(1.01, -bits));
    ASSERT_GE(truth.distance, std::ldexp(0.99, -bits));
    exact_wrong += out[j] != truth.cells * lattice.grid;
    plain_wrong += std::nearbyint((x[j] + scale * draw.plain()) / lattice.grid) != truth.cells;
  }
  EXPECT_EQ(exact_wrong, 0);
  EXPECT_GT(plain_wrong, cases / 3);
}

INSTANTIATE_TEST_SUITE_P(AllKernels, ShapedExactness,
                         ::testing::Values(
                             +[] { return &noise::best_kernels(); },
                             +[] { return &noise::portable_kernels(); }),
                         [](const auto& run) { return run.index == 0 ? "Best" : "Portable"; });

}  // namespace
}  // namespace tacit
