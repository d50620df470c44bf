#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacit::inline v1::pld {

// A measure on the integers modulo the size of a transform, to be convolved with itself `count` times.
struct Point {
  std::size_t at = 0;  // no two points of a factor at the same place
  double mass = 0;     // >= 0
};
struct Factor {
  std::vector<Point> points;
  double count = 0;
};

// Extended is long double: 11 more bits on x86-64, several times slower.
enum class Precision { plain, extended };

// The cyclic convolution of all factors. Every entry is within `error` of the exact one, and another two
// roundings: what the transforms and the powers round is inside it.
// A transform's rounding is bounded in real_transform.hpp.
struct Convolution {
  std::vector<double> mass;
  double error = 0;
};
Convolution convolve(std::span<const Factor> factors, std::size_t size,
                     Precision precision = Precision::plain);

// The smallest size >= `least` that the transform is fast and bounded for: 2^k, 3·2^k or 5·2^k.
std::size_t transform_size(std::size_t least);

}  // namespace tacit::inline v1::pld
