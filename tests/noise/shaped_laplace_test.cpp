#include "noise/shaped_laplace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "noise/sampler_paths.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

const FeatureBlocks blocks({{9, 1}, {5, 0.5}, {1, 1}});

std::vector<double> draw(std::size_t outputs, double scale, double x, const noise::Lattice& lattice,
                         BitSource& bits, const noise::Kernels& kernels = noise::best_kernels()) {
  const std::vector<double> from(outputs * blocks.features(), x);
  std::vector<double> out(from.size());
  noise::add_shaped_laplace(from, blocks, outputs, scale, lattice, bits, out, kernels);
  return out;
}

TEST(ShapedLaplace, VectorAndPortableKernelsReleaseTheSameNumbers) {
  // The finest grid: about one number in a hundred takes the slow path.
  const noise::Lattice lattice{noise::shaped_perturbation_grid(blocks, 0.3), 0};
  for (const std::size_t outputs : {1u, 2u, 3u, 9u})
    for (std::uint64_t seed = 0; seed < 200; ++seed)
      ASSERT_EQ(draw(outputs, 0.3, 0, lattice, *testing::seeded_bits(seed), noise::best_kernels()),
                draw(outputs, 0.3, 0, lattice, *testing::seeded_bits(seed), noise::portable_kernels()));
}

TEST(ShapedLaplace, OutputsLieOnTheGridForEveryInputAndSize) {
  constexpr double inf = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  const auto bits = testing::seeded_bits(2);
  for (const std::size_t outputs : {1u, 3u})
    for (const double scale : {5e-324, 1e-200, 1.0, 1e280})
      for (const double x : {0.0, -0.0, 1e-320, -1e308, inf, -inf, nan}) {
        const noise::Lattice lattice = noise::lattice_for(scale, 1);
        for (const double value : draw(outputs, scale, x, lattice, *bits))
          ASSERT_TRUE(std::isfinite(value) && std::nearbyint(value / lattice.grid) * lattice.grid == value &&
                      !(value == 0 && std::signbit(value)))
              << value;
      }
}

TEST(ShapedLaplace, NoiseFarBelowTheGridStillBreaksTies) {
  const auto bits = testing::seeded_bits(3);
  const noise::Lattice lattice{1.0, 16};
  for (const std::size_t outputs : {1u, 2u}) {
    std::ptrdiff_t up = 0, all = 0;
    for (int i = 0; i < 50; ++i) {
      const std::vector<double> out = draw(outputs, 1e-300, 2.5, lattice, *bits);
      up += std::ranges::count(out, 3.0);
      all += std::ranges::count(out, 3.0) + std::ranges::count(out, 2.0);
    }
    ASSERT_EQ(all, static_cast<std::ptrdiff_t>(50 * outputs * blocks.features()));
    const double n = static_cast<double>(all);
    EXPECT_NEAR(static_cast<double>(up), n / 2, 6.2 * std::sqrt(n / 4));  // false alarm 1e-9
  }
}

TEST(ShapedLaplace, RefusesSizesThatDoNotFitAndGridsTooFine) {
  const auto bits = testing::seeded_bits(1);
  std::vector<double> x(14), out(14), none;
  EXPECT_THROW(noise::add_shaped_laplace(x, blocks, 1, 1.0, {0x1p-20, 1}, *bits, out), UsageError);
  EXPECT_THROW(noise::add_shaped_laplace(none, FeatureBlocks(), 1, 1.0, {0x1p-20, 1}, *bits, none),
               UsageError);
  for (const double grid : {0x1p-41, 0.0, 0.3, 0x1p960, std::nan("")})
    EXPECT_THROW(draw(1, 1.0, 0, {grid, 1}, *bits), UsageError) << grid;
  for (const double scale : {0.0, -1.0, 0x1p961, std::nan("")})
    EXPECT_THROW(draw(1, scale, 0, {1, 1}, *bits), UsageError) << scale;
}

Step step_of(double epsilon) {
  return {.mechanism = "objective-perturbation",
          .event = PureEvent{epsilon},
          .sensitivity = {.value = 1, .reason = "a test"},
          .scale = 2,
          .grid = noise::shaped_perturbation_grid(blocks, 2),
          .dimension = blocks.features()};
}

TEST(ShapedLaplace, APerturbationIsChargedBeforeItIsDrawn) {
  const auto bits = testing::seeded_bits(4);
  RootMeter meter({Pure{1}}, *bits);
  EXPECT_THROW(noise::perturb_shaped(step_of(1.5), blocks, 1, meter), BudgetError);
  EXPECT_TRUE(meter.steps().empty());
  const noise::Perturbation b = noise::perturb_shaped(step_of(1), blocks, 1, meter);
  EXPECT_EQ(meter.steps().size(), 1u);
  // Half a cell in each of 15 coordinates.
  EXPECT_GE(b.rounding, step_of(1).grid / 2 * std::sqrt(15.0));
  // The refused charge drew no bits: the numbers are those of a fresh source.
  const auto fresh = testing::seeded_bits(4);
  const std::vector<double> expected = draw(1, 2, 0, {step_of(1).grid, 0}, *fresh);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), b.value.begin()));
  Step wrong = step_of(0.1);
  wrong.dimension = 14;
  EXPECT_THROW(noise::perturb_shaped(wrong, blocks, 1, meter), UsageError);
}

}  // namespace
}  // namespace tacit
