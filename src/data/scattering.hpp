#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// The scattering transform of a grey image [Mallat, "Group invariant scattering", 2012; Bruna–Mallat,
// "Invariant scattering convolution networks", 2013] with Morlet wavelets at 2 scales and 8 angles, orders
// 0 to 2: x*φ, |x*ψ|*φ and ||x*ψ|*ψ'|*φ, 1 + 16 + 64 channels, each sampled at every fourth pixel. Then every
// 3 channels are brought to mean 0 and variance 1 over the image, and the whole to length 1. A public map:
// an image's features are bitwise a function of that image alone, and their length as computed is at most 1
// [docs/features.md].
class TACIT_API Scattering {
 public:
  static constexpr std::size_t channels = 81, groups = 27, stride = 4;

  // UsageError unless both sizes are multiples of 4 from 8 to 512.
  Scattering(std::size_t height, std::size_t width);
  Scattering(Scattering&&) noexcept;
  Scattering& operator=(Scattering&&) noexcept;
  ~Scattering();

  std::size_t features() const;  // 81·(height/4)·(width/4), channel by channel, row by row

  // `pixels` has height·width finite numbers of size at most 1, `features` room for features(). The channels
  // as they are, or as said above. May be called from several threads.
  void raw(std::span<const double> pixels, std::span<double> features) const;
  void transform(std::span<const double> pixels, std::span<double> features) const;

 private:
  struct Bank;
  std::unique_ptr<const Bank> bank_;
};

}  // namespace tacit::inline v1
