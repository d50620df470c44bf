#pragma once

#include <algorithm>
#include <random>

#include "noise/coins.hpp"
#include "sampler/envelope.hpp"
#include "sampler/trial.hpp"
#include "targets.hpp"

namespace tacit::testing {

// The least of F(θ) − F(mode) − floor − ½Σ(v/deviation)² over random points of each shell: ≥ 0 when the
// envelope covers the target.
inline double least_room(const sampler::Target& target, const sampler::Envelope& envelope, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  const auto f = [&](const Vector& theta) {
    const double pull = envelope.pull > 0 ? 0.5 * envelope.pull * (theta - target.center).squaredNorm() : 0;
    return plain_energy(target, theta) + pull;
  };
  const double at_mode = f(envelope.mode);
  double least = 1e300;
  for (const sampler::Shell& shell : envelope.shells.shells)
    for (const double size : {0.3, 1.0, 2.0, 4.0})
      for (int k = 0; k < 300; ++k) {
        Vector v(envelope.mode.size());
        double half = 0, radius = 0;
        for (Eigen::Index j = 0; j < v.size(); ++j) {
          const double z = size * normal(random);
          v[j] = shell.deviation[j] * z;
          half += 0.5 * z * z;
          radius += envelope.constants.b[j] * v[j] * v[j];
        }
        if (radius < shell.inner || radius >= shell.outer) continue;
        least = std::min(least, f(envelope.mode + envelope.transform * v) - at_mode - shell.floor - half);
      }
  return least;
}

// Accepted as by a sampler that does not look whether its acceptance is above 1, in plain doubles.
inline bool accepted_unseen(sampler::Trial& trial, BitSource& bits, std::mt19937_64& random) {
  if (!trial.in_shell(bits) || !trial.in_ball(bits)) return false;
  return std::log(std::uniform_real_distribution<>()(random)) < trial.log_acceptance().value;
}

// Whether one of so many trials is stopped because its acceptance is above 1.
inline bool is_stopped(const sampler::Setting& setting, BitSource& bits, int trials) {
  try {
    for (int k = 0; k < trials; ++k)
      sampler::Trial(setting, noise::exponential_race(setting.log_weights, bits), bits).accepted(bits);
  } catch (const Error& error) {
    return std::string_view(error.what()).find("acceptance above 1") != std::string_view::npos;
  }
  return false;
}

}  // namespace tacit::testing
