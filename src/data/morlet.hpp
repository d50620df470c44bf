#pragma once

#include <cstddef>
#include <vector>

#include "data/fft2.hpp"

namespace tacit::inline v1 {

// ψ(x) = c·(exp(iξx₁) − κ)·exp(−(x₁² + s²x₂²)/(2σ²)), x₁ along the wave, with κ such that ψ sums to 0; at
// scale j: σ = 0.8·2^j, ξ = (3π/4)·2^−j, s = 4/angles, c = s/(2πσ²) [Bruna–Mallat 2013, section 2.1].
struct Morlet {
  int scale = 0;     // j
  double angle = 0;  // of the wave, from the direction of rows

  // Its periodic form on a rows × columns grid.
  ComplexGrid on_grid(std::size_t rows, std::size_t columns) const;
};

// φ along one axis: a Gaussian of width 0.8·2^(J−1) = 1.6 around `center`, periodic on `size` pixels, at the
// pixels 0, step, 2·step, …; sums to 1.
std::vector<double> low_pass(double center, std::size_t size, std::size_t step);

}  // namespace tacit::inline v1
