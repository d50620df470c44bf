#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "fit.hpp"
#include "noise/plane_draw.hpp"
#include "noise/shaped_laplace.hpp"
#include "support/seeded_bits.hpp"

// Samples of noise in the plane of the full blocks, and what is looked at in them.

namespace tacit::plane_points {

inline constexpr double false_alarm = 1e-9;
inline constexpr double six_sigma = 6.2;  // P(|N(0,1)| > 6.2) < 1e-9

using Points = std::vector<std::vector<double>>;

inline FeatureBlock full(std::size_t size, double bound = 1) { return {size, bound, true}; }

// n vectors; the law's weights are tabulated once.
inline Points draw(const FeatureBlocks& blocks, double scale, std::size_t n, std::uint64_t seed) {
  const auto bits = testing::seeded_bits(seed);
  const noise::Lattice lattice = noise::lattice_for(scale * blocks.largest_bound(), 0);
  const std::vector<double> zero(blocks.features(), 0.0);
  noise::PlaneLaw law(blocks);
  Points points(n, zero);
  for (auto& b : points) noise::add_plane_laplace(zero, blocks, law.draw(*bits), scale, lattice, *bits, b);
  return points;
}

template <class F>
std::vector<double> each(const Points& points, F&& f) {
  std::vector<double> result;
  for (const auto& b : points) result.push_back(f(b));
  return result;
}

template <class Cdf>
bool fits(std::vector<double> sample, Cdf&& cdf) {
  const std::size_t n = sample.size();
  return testing::ks_distance(std::move(sample), cdf) < testing::ks_threshold(n, false_alarm);
}

inline double sum_of(const std::vector<double>& b, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t l = first; l < first + count; ++l) sum += b[l];
  return sum;
}
inline double norm_of(const std::vector<double>& b, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t l = first; l < first + count; ++l) sum += std::fabs(b[l]);
  return sum;
}

}  // namespace tacit::plane_points
