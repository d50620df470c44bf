#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <random>

#include "privacy/accounting/fourier.hpp"
#include "privacy/accounting/plan.hpp"

namespace tacit::pld {
namespace {

// F(z) = ∫ (1 − e^{z−l})_+ over a lattice law, its shift in the direction that weakens the claim it makes.
double hockey_stick(const LatticeLaw& law, double z, double shift) {
  long double sum = law.infinite;
  for (const Tap& tap : law.taps) {
    const long double loss = static_cast<long double>(tap.index) * law.step + law.offset + shift;
    if (loss > z) sum += tap.mass * -std::expm1(static_cast<long double>(z) - loss);
  }
  return static_cast<double>(sum);
}

// The same for the law itself, enclosed.
Enclosure hockey_stick(const LossLaw& law, double z) {
  const CellMass above = law.mass(law.position(z), std::numeric_limits<double>::infinity());
  Enclosure sum{above.p.low - std::exp(z) * above.q.high, above.p.high - std::exp(z) * above.q.low};
  for (const Atom& atom : law.atoms)
    if (atom.loss > z) {
      sum.low += atom.mass.low * -std::expm1(z - atom.loss);
      sum.high += atom.mass.high * -std::expm1(z - atom.loss);
    }
  return {sum.low + law.infinite.low, sum.high + law.infinite.high};
}

// 1e-13: the rounding of the comparison itself, in which P- and Q-masses cancel.
void expect_enclosed(const LossLaw& law, const Grid& grid, const std::string& what) {
  const LatticeLaw above = pessimistic(law, grid), below = optimistic(law, grid);
  std::mt19937_64 draw(7);
  const double low = grid.loss(0) - 3 * grid.step, high = grid.loss(grid.nodes.size() - 1);
  for (int k = 0; k < 2000; ++k) {
    const double z = std::uniform_real_distribution(low, high)(draw);
    const Enclosure truth = hockey_stick(law, z);
    const double rounding =
        1e-13 * std::exp(std::fmax(z, 0)) * law.mass(law.position(z), INFINITY).q.high + 1e-13 * truth.high;
    EXPECT_GE(hockey_stick(above, z, above.shift) + rounding, truth.low) << what << " at " << z;
    EXPECT_LE(hockey_stick(below, z, -below.shift), truth.high + rounding) << what << " at " << z;
  }
}

// The grids that the accountant itself uses.
Grid planned_grid(const LossLaw& law, double count, double delta) {
  std::vector<Part> parts{{&law, count, law.sketch()}};
  truncate(parts[0], std::log(delta));
  const double lambda = tilt_for_delta(parts, delta);
  const Aim aim = aim_with(parts, lambda, cumulants(parts, lambda).mean, std::log(delta));
  return make_grid(parts[0], make_plan(parts, aim, 7e-4, std::size_t{1} << 16));
}

TEST(LatticeLaws, EncloseTheSampledGaussianInBothDirections) {
  for (const double sigma : {0.5, 1.0, 5.0})
    for (const double rate : {1e-4, 0.02, 0.6, 1.0})
      for (const Direction direction : {Direction::remove, Direction::add})
        for (const double count : {1.0, 1000.0}) {
          const auto law = sampled_gaussian(sigma, rate, direction);
          expect_enclosed(*law, planned_grid(*law, count, 1e-6),
                          fmt::format("sigma {} rate {} count {} direction {}", sigma, rate, count,
                                      static_cast<int>(direction)));
        }
}

TEST(LatticeLaws, EncloseBoundedLawsOnAndOffTheGrid) {
  for (const double epsilon : {0.01, 0.7, 3.0})
    for (const double step : {epsilon / 8, epsilon / 7.3}) {
      Grid grid{.step = step, .offset = 0, .nodes = {}};
      for (std::int64_t k = -10; k <= 10; ++k) grid.nodes.push_back(k);
      expect_enclosed(*laplace(epsilon), grid, "laplace");
      expect_enclosed(*bounded_range(epsilon), grid, "bounded range");
      expect_enclosed(*randomised_response(epsilon, 0.01), grid, "randomised response");
    }
}

// A law that lies within a cell or two of the grid.
TEST(LatticeLaws, EncloseALawNarrowerThanTheGrid) {
  for (const double epsilon : {1e-3, 0.9}) {
    const auto law = bounded_range(epsilon);
    for (const double cells : {1.0, 4.0, 20.0}) {
      const Plan plan{.step = cells * epsilon, .lambda = 1e-3 / epsilon, .size = 64};
      const Grid grid = make_grid({law.get(), 1, law->sketch()}, plan);
      EXPECT_LT(std::fabs(grid.offset), plan.step);
      expect_enclosed(*law, grid, fmt::format("epsilon {} cells {}", epsilon, cells));
    }
  }
}

// Above, no mass may get lost, also where the loss ranges over more than an exponential can tell.
TEST(LatticeLaws, KeepAllMassOfLargeLosses) {
  for (const double epsilon : {1.0, 700.0, 3000.0, 1e6, 1e20}) {
    const auto law = bounded_range(epsilon);
    const double step = std::fmax(1, std::ldexp(epsilon, -50));
    Grid grid{.step = step, .offset = 0, .nodes = {}};
    for (int k = -10; k <= 2; ++k)
      grid.nodes.push_back(static_cast<std::int64_t>(std::ceil(epsilon / step)) + k);
    const LatticeLaw above = pessimistic(*law, grid);
    double total = above.infinite;
    for (const Tap& tap : above.taps) total += tap.mass;
    EXPECT_GE(total, 1 - 1e-12) << epsilon;
    EXPECT_FALSE(std::isnan(total)) << epsilon;
  }
}

// All that matters of this law lies beyond the last index, so that its grid is one node.
TEST(LatticeLaws, BeyondTheLastIndexHaveAGridOfOneNode) {
  const auto law = bounded_range(1e20);
  const Grid grid = make_grid({law.get(), 1, law->sketch()}, Plan{.step = 1e-3, .lambda = 1, .size = 64});
  EXPECT_EQ(grid.nodes.size(), 1u);
  EXPECT_EQ(grid.offset, 0);
}

// Beyond the last node there is nothing to read.
TEST(Grid, RefusesANodeThatIsNotThere) {
  const Grid one{.step = 1, .offset = 0, .nodes = {3}};
  EXPECT_EQ(one.loss(0), 3);
  EXPECT_THROW(one.loss(1), std::out_of_range);
  EXPECT_THROW(one.width(0), std::out_of_range);
  EXPECT_THROW(one.width(static_cast<std::size_t>(-1)), std::out_of_range);
}

// A detector must be able to see a violation: the two sides swapped, it has to fire.
TEST(LatticeLaws, AreNotEqualToEachOther) {
  const auto law = sampled_gaussian(1, 0.1, Direction::remove);
  const Grid grid = planned_grid(*law, 1000, 1e-6);
  const LatticeLaw above = pessimistic(*law, grid), below = optimistic(*law, grid);
  int apart = 0;
  for (std::size_t j = 0; j + 1 < grid.nodes.size(); ++j) {
    const double z = grid.loss(j) + grid.width(j) / 2;
    apart += hockey_stick(above, z, 0) > hockey_stick(below, z, 0);
  }
  EXPECT_GT(apart, 50);
}

TEST(LatticeLaws, KeepNearlyAllMass) {
  const auto law = sampled_gaussian(0.8, 1e-3, Direction::remove);
  const Grid grid = planned_grid(*law, 1e6, 1e-18);
  double above = 0, below = 0;
  for (const Tap& tap : pessimistic(*law, grid).taps) above += tap.mass;
  for (const Tap& tap : optimistic(*law, grid).taps) below += tap.mass;
  EXPECT_NEAR(above, 1, 1e-11);
  EXPECT_NEAR(below, 1, 1e-9);
  EXPECT_LE(below, 1);
}

std::vector<long double> cyclic_product(const std::vector<long double>& a,
                                        const std::vector<long double>& b) {
  std::vector<long double> c(a.size(), 0.0L);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != 0)
      for (std::size_t j = 0; j < b.size(); ++j) c[(i + j) % a.size()] += a[i] * b[j];
  return c;
}

// Random factors against direct convolution in long double; 0.2: the bound must not be near to failing.
void expect_inside_bound(std::size_t size, Precision precision, double largest) {
  std::mt19937_64 draw(size);
  std::vector<Factor> factors{{{}, 5}, {{}, 3}};
  std::vector<long double> exact(size, 0.0L);
  exact[0] = 1;
  for (Factor& factor : factors) {
    double sum = 0;
    for (std::size_t k = 0; k < size / 8; ++k) {
      factor.points.push_back({k, std::uniform_real_distribution(0.0, 1.0)(draw)});
      sum += factor.points.back().mass;
    }
    std::vector<long double> dense(size, 0.0L);
    for (Point& point : factor.points) dense[point.at] = point.mass /= sum;
    for (int k = 0; k < factor.count; ++k) exact = cyclic_product(dense, exact);
  }
  const Convolution result = convolve(factors, size, precision);
  double worst = 0;
  for (std::size_t k = 0; k < size; ++k) {
    // what is left after the two roundings of the result itself
    const long double apart =
        std::fabs(exact[k] - static_cast<long double>(result.mass[k])) - 0x1p-52L * exact[k];
    worst = std::fmax(worst, static_cast<double>(apart));
  }
  EXPECT_LE(worst, 0.2 * result.error) << size;
  EXPECT_LE(result.error, largest) << size;
}

TEST(Convolution, StaysFarInsideItsErrorBound) {
  for (const std::size_t size : {64, 640, 768, 1024}) {
    expect_inside_bound(size, Precision::plain, 1e-12);
    expect_inside_bound(size, Precision::extended, 1e-15);
  }
}

TEST(Convolution, OfManyCopiesKeepsItsBound) {
  // 4096-fold convolution of a fair coin: the binomial law.
  const Factor coin{{{0, 0.5}, {1, 0.5}}, 4096};
  for (const Precision precision : {Precision::plain, Precision::extended}) {
    const Convolution result = convolve(std::vector<Factor>{coin}, 8192, precision);
    for (int k = 1800; k <= 2300; ++k) {
      const double exact = std::exp(std::lgamma(4097.0) - std::lgamma(k + 1.0) - std::lgamma(4097.0 - k) -
                                    4096 * std::log(2.0));
      EXPECT_NEAR(result.mass[static_cast<std::size_t>(k)], exact, result.error + 1e-10 * exact);
    }
    EXPECT_LE(result.error, precision == Precision::plain ? 1e-11 : 1e-14);
  }
}

TEST(TransformSize, IsFastAndLargeEnough) {
  for (std::size_t least = 64; least < 5000; least += 37) {
    const std::size_t size = transform_size(least);
    EXPECT_GE(size, least);
    EXPECT_LE(size, 1.35 * static_cast<double>(least) + 8);
  }
}

}  // namespace
}  // namespace tacit::pld
