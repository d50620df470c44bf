#pragma once

#include <optional>
#include <string>

#include "tacit/model.hpp"

namespace tacit::inline v1 {

// The law of the noise in a model's parameters, where its certificate tells: the parameters are those that
// were found plus noise, with independent signs and the same law in every direction.
struct NoiseLaw {
  bool gaussian = false;      // else density ∝ exp(−‖z‖₂/scale)
  double scale = 0;           // sigma of a Gaussian
  std::size_t dimension = 1;  // of z

  // t with P(|⟨g, z⟩| ≤ t) = level for any fixed g of length 1. For people to read: privacy does not rest on
  // it.
  double half_width(double level) const;
};

struct KnownNoise {
  std::optional<NoiseLaw> law;
  std::string unknown;  // why there is none
};
KnownNoise known_noise(const FittedModel& model);

}  // namespace tacit::inline v1
