#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/interval.hpp"
#include "noise/lazy_uniform.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::noise {

// Independent standard Gaussian reals of which only the first digits have been drawn: Box–Muller of lazy
// uniforms. The doubles are what the first words say; the reals behind them can be enclosed as tightly as
// asked.
class TACIT_API LazyGaussians {
 public:
  LazyGaussians(std::size_t dimension, BitSource& bits);

  const Vector& approximation() const { return approximation_; }
  // ‖approximation − the reals‖₂ ≤ this, surely; infinite when the first words say too little.
  double distance() const { return distance_; }

  // Every coordinate, from `words` words of each uniform, which are drawn as needed.
  std::vector<Interval> enclosures(std::size_t words, BitSource& bits);

 private:
  std::vector<LazyUniform> radius_, angle_;
  Vector approximation_;
  double distance_ = 0;
};

// The multiple of `grid`, a power of two, nearest to a real number: `number` is called with growing counts of
// words and returns intervals that contain the number and shrink to it. A tie has probability zero. Beyond
// 2^53 cells the multiple is itself rounded to a double.
TACIT_API double round_to_grid(const std::function<Interval(std::size_t words)>& number, double grid);

}  // namespace tacit::inline v1::noise
