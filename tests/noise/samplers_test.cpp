#include "noise/samplers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "noise/sampler_paths.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

using Sampler = void (*)(std::span<const double>, double, const noise::Lattice&, BitSource&,
                         std::span<double>, const noise::Kernels&);
constexpr Sampler samplers[] = {noise::add_laplace, noise::add_gaussian, noise::add_isotropic_laplace};

bool on_grid(double value, double grid) {
  return std::isfinite(value) && std::nearbyint(value / grid) * grid == value &&
         !(value == 0 && std::signbit(value));
}

TEST(Samplers, GridIsThePowerOfTwoOfItsDefinition) {
  EXPECT_EQ(noise::lattice_for(1.0, 0).grid, 0x1p-20);
  EXPECT_EQ(noise::lattice_for(1.5, 1).grid, 0x1p-19);
  EXPECT_EQ(noise::lattice_for(1.0, 0x1p50).grid, 1.0);
  EXPECT_EQ(noise::lattice_for(1.0, 0x1.8p40).grid, 0x1p-9);
  EXPECT_EQ(noise::lattice_for(5e-324, 0).grid, 0x1p-1022);
  for (const double bad : {0.0, -1.0, 0x1p961, std::nan("")})
    EXPECT_THROW(noise::lattice_for(bad, 1), UsageError);
}

TEST(Samplers, RefuseAGridTooFineForTheNoiseOrNoPowerOfTwo) {
  const auto bits = testing::seeded_bits(1);
  std::vector<double> x(3), out(3);
  for (const double grid : {0x1p-41, 0.0, 0.3, 0x1p960, std::nan("")})
    for (const Sampler sampler : samplers)
      EXPECT_THROW(sampler(x, 1.0, {grid, 1}, *bits, out, noise::best_kernels()), UsageError) << grid;
}

TEST(Samplers, VectorAndPortableKernelsReleaseTheSameNumbers) {
  for (const Sampler sampler : samplers)
    for (const std::size_t size : {1u, 2u, 3u, 511u, 512u, 513u, 100'000u}) {
      std::vector<double> x(size), best(size), portable(size);
      for (std::size_t i = 0; i < size; ++i) x[i] = std::sin(static_cast<double>(i));
      const noise::Lattice lattice = noise::lattice_for(0.3, 1);
      sampler(x, 0.3, lattice, *testing::seeded_bits(size), best, noise::best_kernels());
      sampler(x, 0.3, lattice, *testing::seeded_bits(size), portable, noise::portable_kernels());
      EXPECT_EQ(best, portable);
    }
}

TEST(Samplers, OutputsLieOnTheGridForEveryInputAndSize) {
  constexpr double inputs[] = {0.0,
                               -0.0,
                               1e-320,
                               -1e308,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()};
  const auto bits = testing::seeded_bits(2);
  for (const Sampler sampler : samplers)
    for (const double scale : {5e-324, 1e-200, 1.0, 1e280})
      for (const double range : {0.0, 1e-310, 1.0, 1e250})
        for (const std::size_t size : {1u, 7u, 1000u}) {
          std::vector<double> x(size), out(size);
          for (std::size_t i = 0; i < size; ++i) x[i] = inputs[i % std::size(inputs)];
          const noise::Lattice lattice = noise::lattice_for(scale, range);
          sampler(x, scale, lattice, *bits, out, noise::best_kernels());
          for (const double value : out) ASSERT_TRUE(on_grid(value, lattice.grid)) << value;
        }
}

TEST(Samplers, NoiseFarBelowTheGridStillBreaksTies) {
  // x on a rounding boundary: the sign of the noise decides, however small the noise is.
  const auto bits = testing::seeded_bits(3);
  const noise::Lattice lattice{1.0, 16};
  for (const Sampler sampler : samplers) {
    std::vector<double> x(2000, 2.5), out(2000);
    sampler(x, 1e-300, lattice, *bits, out, noise::best_kernels());
    const auto up = std::ranges::count(out, 3.0);
    EXPECT_EQ(up + std::ranges::count(out, 2.0), 2000);
    EXPECT_NEAR(static_cast<double>(up), 1000, 6.2 * std::sqrt(500.0));  // false alarm 1e-9
  }
}

TEST(Samplers, AnEmptyVectorDrawsNothing) {
  const auto bits = testing::seeded_bits(4), same = testing::seeded_bits(4);
  for (const Sampler sampler : samplers)
    sampler({}, 1.0, noise::lattice_for(1, 1), *bits, {}, noise::best_kernels());
  std::uint64_t first = 0, expected = 0;
  bits->fill({&first, 1});
  same->fill({&expected, 1});
  EXPECT_EQ(first, expected);
}

// A source whose first words are all zero: U = 0.000…, far out in the tail.
class ZerosThenRandom final : public BitSource {
 public:
  explicit ZerosThenRandom(std::size_t zeros) : zeros_(zeros) {}
  void fill(std::span<std::uint64_t> words) override {
    inner_->fill(words);
    for (auto& word : words)
      if (zeros_ > 0) --zeros_, word = 0;
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "zeros"; }

 private:
  std::size_t zeros_;
  std::unique_ptr<BitSource> inner_ = testing::seeded_bits(9);
};

TEST(Samplers, TinyUniformsGetTheirDigitsBeforeTheyAreUsed) {
  double x = 0, out = 0;
  ZerosThenRandom bits(3);  // the first word of U, the sign, the second word: then digits
  noise::add_laplace({&x, 1}, 1.0, noise::lattice_for(1, 1), bits, {&out, 1});
  EXPECT_GT(out, 128 * std::log(2.0));
  EXPECT_LT(out, 300 * std::log(2.0));
}

TEST(Samplers, ASourceOfZerosAloneIsReportedAsBroken) {
  double x = 0, out = 0;
  ZerosThenRandom bits(1'000'000);
  EXPECT_THROW(noise::add_laplace({&x, 1}, 1.0, noise::lattice_for(1, 1), bits, {&out, 1}), Error);
}

}  // namespace
}  // namespace tacit
