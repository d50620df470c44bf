#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tacit/core/api.hpp"
#include "tacit/model/events.hpp"
#include "tacit/privacy/account.hpp"

namespace tacit::inline v1::service {

TACIT_API EventList load_events(const std::filesystem::path& path);

// `steps` Poisson-sampled Gaussian steps, as DP-SGD takes them.
struct SampledSteps {
  double noise_multiplier = 0, rate = 1;
  std::int64_t steps = 1;
  Neighbours neighbours = Neighbours::zero_out;
};
// UsageError names the flag's value and its range.
TACIT_API void validate(const SampledSteps& steps);
TACIT_API Bracket account_steps(const SampledSteps& steps, double delta);
TACIT_API Bracket account_events(const EventList& list, double delta);

// The least noise multiplier for a target: Approx, Gaussian or Zcdp.
TACIT_API double calibrate(const Guarantee& target, double rate, std::int64_t steps, Neighbours neighbours);

// δ against ε as SVG: the upper and the lower end, around the point asked for.
TACIT_API std::string plot_delta(std::span<const Event> events, const Bracket& around);

}  // namespace tacit::inline v1::service
