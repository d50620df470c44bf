#include "noise/samplers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "noise/lazy_uniform.hpp"
#include "noise/round_exactly.hpp"
#include "noise/sampler_paths.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

constexpr std::size_t block =
    512;  // coordinates worked on at a time: all arrays stay in the first-level cache

// Interval arithmetic for the coordinates that the fast path left as NaN.
template <class Decide>
void decide_rest(std::span<double> out, Decide&& decide) {
  for (std::size_t i = 0; i < out.size(); ++i)
    if (std::isnan(out[i])) out[i] = decide(i);
}

// N(0, 1) for x.size() ≤ block coordinates: pair i makes coordinate i by the cosine and coordinate pairs + i
// by the sine.
class GaussianBlock {
 public:
  void add(std::span<const double> x, double sigma, const Lattice& lattice, BitSource& bits,
           std::span<double> out, const Kernels& kernels) {
    const std::size_t pairs = (x.size() + 1) / 2, sines = x.size() - pairs;
    bits.fill(std::span(words_).first(2 * pairs));
    const std::uint64_t *const radii = words_.data(), *const angles = radii + pairs;
    kernels.box_muller(radii, angles, cosine_.data(), sine_.data(), t_.data(), error_.data(), pairs);
    const BlockRounding rounding = block_rounding(sigma, lattice);
    const bool decided =
        kernels.round(x.data(), cosine_.data(), error_.data(), out.data(), pairs, rounding) &
        kernels.round(x.data() + pairs, sine_.data(), error_.data(), out.data() + pairs, sines, rounding);
    if (decided) return;
    for (std::size_t i = 0; i < pairs; ++i) {
      // Both coordinates of a pair share what is drawn of its uniforms.
      LazyUniform radius(radii[i]), angle(angles[i]);
      const auto decide = [&](std::size_t j, Coordinate coordinate) {
        if (!std::isnan(out[j])) return;
        out[j] = round_exactly(x[j], sigma, lattice, 2, [&](std::size_t words, long precision) {
          radius.extend(words, bits);
          angle.extend(words, bits);
          return box_muller_enclosure(radius.enclosure(precision), angle.enclosure(precision), coordinate);
        });
      };
      decide(i, Coordinate::cosine);
      if (i < sines) decide(pairs + i, Coordinate::sine);
    }
  }

 private:
  std::array<std::uint64_t, block + Kernels::width> words_{};
  std::array<double, block / 2> cosine_{}, sine_{}, t_{}, error_{};
};

// Standard Laplace ±(−ln U) for x.size() ≤ block coordinates.
class LaplaceBlock {
 public:
  void add(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
           std::span<double> out, const Kernels& kernels) {
    const std::size_t count = x.size();
    bits.fill(std::span(words_).first(count));
    bits.fill(std::span(signs_).first((count + 63) / 64));
    kernels.to_uniform(words_.data(), uniform_.data(), count);
    z_ = uniform_;
    kernels.minus_log(z_.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      // |t̂ − t| ≤ 1/w + u + 4u t̂, with room
      error_[i] = 1.1 * (unit_roundoff + 0x1p-64 / uniform_[i]) + 5 * unit_roundoff * z_[i];
      // No branch: a random one is mispredicted every other time.
      z_[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(z_[i]) ^ sign(i) << 63);
    }
    if (kernels.round(x.data(), z_.data(), error_.data(), out.data(), count, block_rounding(scale, lattice)))
      return;
    decide_rest(out, [&](std::size_t i) {
      LazyUniform uniform(words_[i]);
      return round_exactly(x[i], scale, lattice, 1, [&](std::size_t words, long precision) {
        uniform.extend(words, bits);
        const Interval noise = log(uniform.enclosure(precision));
        return sign(i) == 0 ? -noise : noise;
      });
    });
  }

 private:
  std::uint64_t sign(std::size_t i) const { return signs_[i / 64] >> (i % 64) & 1; }  // 1: negative

  std::array<std::uint64_t, block> words_{};
  std::array<std::uint64_t, block / 64> signs_{};
  std::array<double, block> uniform_{}, z_{}, error_{};
};

template <class Block>
void add_in_blocks(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
                   std::span<double> out, const Kernels& kernels) {
  validate(scale, lattice);
  Block work;
  for (std::size_t begin = 0; begin < x.size(); begin += block) {
    const std::size_t count = std::min(block, x.size() - begin);
    work.add(x.subspan(begin, count), scale, lattice, bits, out.subspan(begin, count), kernels);
  }
}

}  // namespace

void add_laplace(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
                 std::span<double> out, const Kernels& kernels) {
  add_in_blocks<LaplaceBlock>(x, scale, lattice, bits, out, kernels);
}
void add_gaussian(std::span<const double> x, double sigma, const Lattice& lattice, BitSource& bits,
                  std::span<double> out, const Kernels& kernels) {
  add_in_blocks<GaussianBlock>(x, sigma, lattice, bits, out, kernels);
}
void add_laplace(std::span<const double> x, double scale, const Lattice& lattice, BitSource& bits,
                 std::span<double> out) {
  add_laplace(x, scale, lattice, bits, out, best_kernels());
}
void add_gaussian(std::span<const double> x, double sigma, const Lattice& lattice, BitSource& bits,
                  std::span<double> out) {
  add_gaussian(x, sigma, lattice, bits, out, best_kernels());
}

}  // namespace tacit::inline v1::noise
