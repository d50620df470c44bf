#include "noise/lazy_gaussian.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/numbers.hpp"
#include "noise/round_exactly.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

// −ln U for U in [w, w+1]·2^−64, at the middle, and how far the true one can be: half a cell of U, two
// roundings of the argument, four of the logarithm.
struct MinusLog {
  double value = 0, error = 0;
};

MinusLog minus_log(std::uint64_t w) {
  if (w == 0) return {0, std::numeric_limits<double>::infinity()};
  if (w < (std::uint64_t{1} << 63)) {
    const double t = -std::log((static_cast<double>(w) + 0.5) * 0x1p-64);
    return {t, 0.51 / static_cast<double>(w) + 4 * u + 4 * u * t};
  }
  // Near 1: 1 − U lies in [~w, ~w + 1]·2^−64, and |d ln U| ≤ 2|dU|.
  const double t = -std::log1p(-(static_cast<double>(~w) + 0.5) * 0x1p-64);
  return {t, 0x1p-63 + 12 * u * t};
}

}  // namespace

LazyGaussians::LazyGaussians(std::size_t dimension, BitSource& bits)
    : approximation_(static_cast<Eigen::Index>(dimension)) {
  const std::size_t pairs = (dimension + 1) / 2;
  std::vector<std::uint64_t> words(2 * pairs);
  bits.fill(words);
  double square = 0;
  for (std::size_t k = 0; k < pairs; ++k) {
    radius_.emplace_back(words[k]);
    angle_.emplace_back(words[pairs + k]);
    const MinusLog t = minus_log(words[k]);
    const double r = std::sqrt(2 * t.value);
    // The argument 2πV has three roundings and 2^−64·π of unread digits, so an error ≤ 20u; the cosine two
    // more ulps, the product one.
    const double turn = 2 * std::numbers::pi * ((static_cast<double>(words[pairs + k]) + 0.5) * 0x1p-64);
    // |√(2t̂) − √(2t)| ≤ 2|t̂ − t|/√(2t̂).
    const double error = (r > 0 ? 2 * t.error / r : std::numeric_limits<double>::infinity()) + 32 * u * r;
    approximation_[static_cast<Eigen::Index>(k)] = r * std::cos(turn);
    square += error * error;
    if (pairs + k < dimension) {
      approximation_[static_cast<Eigen::Index>(pairs + k)] = r * std::sin(turn);
      square += error * error;
    }
  }
  distance_ = std::sqrt(square) * 1.001;
}

std::vector<Interval> LazyGaussians::enclosures(std::size_t words, BitSource& bits) {
  const long precision = precision_for(words, radius_.size()) + 64;
  const auto dimension = static_cast<std::size_t>(approximation_.size());
  std::vector<Interval> result(dimension);
  for (std::size_t k = 0; k < radius_.size(); ++k) {
    radius_[k].extend(words, bits);
    angle_[k].extend(words, bits);
    const Interval radius = radius_[k].enclosure(precision), angle = angle_[k].enclosure(precision);
    result[k] = box_muller_enclosure(radius, angle, Coordinate::cosine);
    if (radius_.size() + k < dimension)
      result[radius_.size() + k] = box_muller_enclosure(radius, angle, Coordinate::sine);
  }
  return result;
}

double round_to_grid(const std::function<Interval(std::size_t words)>& number, double grid) {
  return round_exactly(0.0, 1.0, Lattice{grid, 0}, 1, [&](std::size_t words, long) { return number(words); });
}

}  // namespace tacit::inline v1::noise
