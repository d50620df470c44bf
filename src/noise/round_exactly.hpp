#pragma once

#include <cstddef>
#include <functional>

#include "core/interval.hpp"
#include "noise/samplers.hpp"

namespace tacit::inline v1::noise {

// Encloses the noise, in units of its scale, using `words` words of each of its uniforms and working with
// `precision` bits.
using NoiseEnclosure = std::function<Interval(std::size_t words, long precision)>;

// The slow path: the multiple of the grid nearest to clamp(x) + scale·noise, in interval arithmetic with
// twice as many words each time until the enclosure lies in one rounding cell. `terms` is how many uniforms
// the noise combines. Beyond 2^53 cells the multiple is itself rounded to a double.
double round_exactly(double x, double scale, const Lattice& lattice, std::size_t terms,
                     const NoiseEnclosure& noise);

// √(−2 ln U)·cos 2πV or ·sin 2πV.
enum class Coordinate { cosine, sine };
Interval box_muller_enclosure(const Interval& radius, const Interval& angle, Coordinate coordinate);

// Throws UsageError unless grid is a power of two that fits scale and range as lattice_for makes it.
void validate(double scale, const Lattice& lattice);

}  // namespace tacit::inline v1::noise
