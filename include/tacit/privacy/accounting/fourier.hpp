#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacit::inline v1::pld {

// A measure on the integers modulo the size of the vector, to be convolved with itself `count` times.
struct Factor {
  std::vector<double> mass;  // all of one size; >= 0
  double count = 0;
};

// The cyclic convolution of all factors. Every entry is within `error` of the exact one: the rounding of the
// transforms and of the powers is inside it.
struct Convolution {
  std::vector<double> mass;
  double error = 0;
};
Convolution convolve(std::span<const Factor> factors);

// The transform's rounding error, relative in the 2-norm, at most: 16 u log2(size). [Higham 2002, Thm 24.2]
// proves log2(n) η/(1 − log2(n) η), η = m + γ_4 (√2 + m), for radix 2 with twiddle factors within m; with m
// <= 4u that is less than 10u a level. FFTW's larger radices, and its half-size complex transform for real
// data, do no more roundings along any path; 16 leaves room.
double transform_error(std::size_t size);

// The smallest size >= `least` that the transform is fast and bounded for: 2^k, 3·2^k or 5·2^k.
std::size_t transform_size(std::size_t least);

}  // namespace tacit::inline v1::pld
