// Claim: what the samplers return is the correctly rounded x + Z, decided and never approximated. Ordinary
// draws do not test this (plain doubles pass those too), so each case here is built: 10^4 for each law, of
// which the real value lies 2^−25 … 2^−120 cells from a rounding boundary, where the fast path decides down
// to about 2^−30. Plain double arithmetic on the same bits is wrong on more than a third of them: the cases
// can tell.

#include <gtest/gtest.h>

#include <array>
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

struct Tally {
  int exact_wrong = 0, plain_wrong = 0;
  void add(double exact, double plain, const Number& cells, int bits, double grid) {
    const testing::Rounded truth = testing::reference_round(cells);
    ASSERT_LE(truth.distance, std::ldexp(1.01, -bits));
    ASSERT_GE(truth.distance, std::ldexp(0.99, -bits));
    exact_wrong += exact != truth.cells * grid;
    plain_wrong += plain != truth.cells * grid;
  }
  void expect_only_plain_fails() const {
    EXPECT_EQ(exact_wrong, 0);
    EXPECT_GT(plain_wrong, cases / 3);
  }
};

// How a case is varied: a data value, how near to the boundary and on which side.
struct Case {
  double x;
  int bits;
  bool above;
  Case(int i, BitSource& source) : bits(25 + i % 96), above(i % 2 == 0) {
    std::uint64_t word;
    source.fill({&word, 1});
    x = (static_cast<double>(word) * 0x1p-63 - 1) * 10;
  }
};

double first_word(const Digits& digits) { return static_cast<double>(digits.word[0]) * 0x1p-64; }
double to_grid(double value, double grid) { return std::nearbyint(value / grid) * grid; }

// The words that the sampler asks for after the first: up to 2, 4, 8 of each uniform, one uniform after
// another.
void script_extensions(testing::ScriptedBits& script, std::span<const Digits* const> uniforms) {
  for (std::size_t words = 1; words < Digits::words; words *= 2)
    for (const Digits* digits : uniforms) script.add(*digits, words, 2 * words);
}

class Exactness : public ::testing::TestWithParam<const noise::Kernels* (*)()> {
 protected:
  const noise::Kernels& kernels() const { return *GetParam()(); }
  noise::Lattice lattice_ = noise::lattice_for(scale, 10);
  double cells_per_scale_ = scale / lattice_.grid;
  std::unique_ptr<BitSource> random_ = testing::seeded_bits(2024);
};

TEST_P(Exactness, LaplaceIsRoundedCorrectlyNextToABoundary) {
  Tally tally;
  for (int i = 0; i < cases; ++i) {
    const Case c(i, *random_);
    const Number offset = Number(c.x) / Number(lattice_.grid), ratio(cells_per_scale_);
    const bool negative = i % 4 < 2;
    const Number sign(negative ? 1.0 : -1.0);  // ±(−ln U) = sign·ln U
    // x/g + sign·ratio·ln U = target, so U = exp(sign·(target − x/g)/ratio).
    const Number draw = offset + sign * ratio * log(Digits::random(*random_).value());
    const Number target = testing::near_boundary(draw, c.bits, c.above);
    const Digits uniform = Digits::of(exp(sign * (target - offset) / ratio));

    testing::ScriptedBits script;
    script.add(uniform.word[0]);
    script.add(negative ? 1 : 0);
    const std::array uniforms{&uniform};
    script_extensions(script, uniforms);
    double out = 0;
    noise::add_laplace({&c.x, 1}, scale, lattice_, script, {&out, 1}, kernels());

    const double plain = c.x + (negative ? 1 : -1) * scale * std::log(first_word(uniform));
    tally.add(out, to_grid(plain, lattice_.grid), offset + sign * ratio * log(uniform.value()), c.bits,
              lattice_.grid);
  }
  tally.expect_only_plain_fails();
}

TEST_P(Exactness, GaussianIsRoundedCorrectlyNextToABoundary) {
  Tally tally;
  for (int i = 0; i < cases; ++i) {
    const Case c(i, *random_);
    const Number offset = Number(c.x) / Number(lattice_.grid), ratio(cells_per_scale_);
    const Digits angle = Digits::random(*random_);
    const Number turn = cos_2pi(angle.value());
    const auto value = [&](const Number& uniform) {
      return offset + ratio * sqrt(Number(-2) * log(uniform)) * turn;
    };
    const Number target = testing::near_boundary(value(Digits::random(*random_).value()), c.bits, c.above);
    const Number z = (target - offset) / ratio / turn;
    if (!(z > Number(0))) {  // the nearest boundary is across zero, out of reach: draw again
      --i;
      continue;
    }
    const Digits radius = Digits::of(exp(Number(-0.5) * z * z));

    testing::ScriptedBits script;
    script.add(radius.word[0]);
    script.add(angle.word[0]);
    const std::array uniforms{&radius, &angle};
    script_extensions(script, uniforms);
    double out = 0;
    noise::add_gaussian({&c.x, 1}, scale, lattice_, script, {&out, 1}, kernels());

    const double plain =
        c.x + scale * std::sqrt(-2 * std::log(first_word(radius))) * std::cos(2 * M_PI * first_word(angle));
    tally.add(out, to_grid(plain, lattice_.grid), value(radius.value()), c.bits, lattice_.grid);
  }
  tally.expect_only_plain_fails();
}

// One vector: the uniforms of Γ, and the pairs of the Gaussian direction.
struct IsotropicCase {
  std::vector<Digits> gamma, radius, angle;
  IsotropicCase(std::size_t dimension, BitSource& bits) {
    for (std::size_t i = 0; i < dimension; ++i) gamma.push_back(Digits::random(bits));
    for (std::size_t i = 0; i < (dimension + 1) / 2; ++i) radius.push_back(Digits::random(bits));
    for (std::size_t i = 0; i < (dimension + 1) / 2; ++i) angle.push_back(Digits::random(bits));
  }
  std::size_t dimension() const { return gamma.size(); }

  Number gaussian(std::size_t j) const {
    const Number length = sqrt(Number(-2) * log(radius[j % radius.size()].value()));
    const Number turn = angle[j % radius.size()].value();
    return length * (j < radius.size() ? cos_2pi(turn) : sin_2pi(turn));
  }
  Number gamma_sum() const {
    Number sum;
    for (const Digits& uniform : gamma) sum = sum - log(uniform.value());
    return sum;
  }
  // Coordinate j divided by Γ: computed from all coordinates, not from the pairs' logarithms.
  Number direction(std::size_t j) const {
    Number norm;
    for (std::size_t k = 0; k < dimension(); ++k) norm = norm + gaussian(k) * gaussian(k);
    return gaussian(j) / sqrt(norm);
  }
  double plain(std::size_t j) const {
    double sum = 0, squares = 0, wanted = 0;
    for (const Digits& uniform : gamma) sum -= std::log(first_word(uniform));
    for (std::size_t k = 0; k < dimension(); ++k) {
      const double turn = 2 * M_PI * first_word(angle[k % radius.size()]);
      const double z = std::sqrt(-2 * std::log(first_word(radius[k % radius.size()]))) *
                       (k < radius.size() ? std::cos(turn) : std::sin(turn));
      squares += z * z;
      if (k == j) wanted = z;
    }
    return sum * wanted / std::sqrt(squares);
  }
  void script(testing::ScriptedBits& bits, std::size_t undecided) const {
    for (const auto* group : {&gamma, &radius, &angle})
      for (const Digits& uniform : *group) bits.add(uniform.word[0]);
    // The order in which the slow path extends: the coordinate's own pair, Γ, the other pairs' radii, and the
    // last pair when its cosine alone counts.
    std::vector<const Digits*> order{&radius[undecided % radius.size()], &angle[undecided % radius.size()]};
    for (const Digits& uniform : gamma) order.push_back(&uniform);
    for (std::size_t k = 0; k < radius.size(); ++k)
      if (k != undecided % radius.size()) order.push_back(&radius[k]);
    if (dimension() % 2 == 1 && undecided != radius.size() - 1) order.push_back(&angle.back());
    script_extensions(bits, order);
  }
};

TEST_P(Exactness, IsotropicLaplaceIsRoundedCorrectlyNextToABoundary) {
  Tally tally;
  for (int i = 0; i < cases; ++i) {
    const std::size_t dimension = 1 + static_cast<std::size_t>(i) % 5,
                      j = static_cast<std::size_t>(i / 5) % dimension;
    const Case c(i, *random_);
    const Number offset = Number(c.x) / Number(lattice_.grid);
    IsotropicCase draw(dimension, *random_);
    const Number factor = draw.direction(j) * Number(cells_per_scale_);
    const Number gamma = draw.gamma_sum();
    const Number target = testing::near_boundary(offset + gamma * factor, c.bits, c.above);
    // Move Γ to the target by changing its first uniform: ln W₁ gives up what Γ gains.
    const Number gain = (target - offset) / factor - gamma;
    const Number moved = draw.gamma[0].value() * exp(Number(-1) * gain);
    if (!(moved < Number(1))) {  // a uniform cannot pass 1: draw again
      --i;
      continue;
    }
    draw.gamma[0] = Digits::of(moved);

    testing::ScriptedBits script;
    draw.script(script, j);
    std::vector<double> x(dimension, 0.0), out(dimension);
    x[j] = c.x;
    noise::add_isotropic_laplace(x, scale, lattice_, script, out, kernels());
    tally.add(out[j], to_grid(c.x + scale * draw.plain(j), lattice_.grid), offset + draw.gamma_sum() * factor,
              c.bits, lattice_.grid);
  }
  tally.expect_only_plain_fails();
}

INSTANTIATE_TEST_SUITE_P(AllKernels, Exactness,
                         ::testing::Values(
                             +[] { return &noise::best_kernels(); },
                             +[] { return &noise::portable_kernels(); }),
                         [](const auto& run) { return run.index == 0 ? "Best" : "Portable"; });

}  // namespace
}  // namespace tacit
