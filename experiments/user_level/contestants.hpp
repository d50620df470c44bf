#pragma once

// The methods as the synthetic families ask for them.

#include <functional>
#include <optional>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/user_level/user_erm.hpp"
#include "algorithm/user_level/user_phased.hpp"
#include "algorithm/user_level/user_sgd.hpp"
#include "common.hpp"
#include "privacy/nested_cost.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace experiment {

using namespace tacit;

constexpr double delta = 1e-5;

struct Size {
  std::size_t users = 4000, records = 16;
  double epsilon = 3;
  std::size_t dimension = 5;
  double radius = 0.9;

  double total() const { return static_cast<double>(users * records); }
};

struct Outcome {
  Vector w;
  double gradients = 0;
  Facts options;  // that the certificate states
};
using Fit = std::function<Outcome(const Problem&, const Size&)>;

inline user_level::PhasedOptions phased_options(const Size& size) {
  user_level::PhasedOptions options;
  options.target = {size.epsilon, delta};
  options.records_per_user = static_cast<std::int64_t>(size.records);
  options.clip_norm = 1;
  options.radius = size.radius;
  options.threads = 1;
  return options;
}

inline Outcome phased(const Problem& problem, const user_level::PhasedOptions& options) {
  const auto bits = noise::system_bits();
  RootMeter meter({options.target, Unit::user, Neighbours::replace_one}, *bits);
  user_level::RunCounts counts;
  const Release release = user_phased(problem, options, meter, &counts);
  return {release.parameters.value(), static_cast<double>(counts.gradients), release.certificate.options};
}

inline user_level::ErmOptions erm_options(const Size& size) {
  user_level::ErmOptions options;
  options.target = {size.epsilon, delta};
  options.records_per_user = static_cast<std::int64_t>(size.records);
  options.clip_norm = 1;
  options.radius = size.radius;
  options.row_bound = 1;
  options.threads = 1;
  return options;
}

inline Outcome erm(const Problem& problem, const user_level::ErmOptions& options) {
  const auto bits = noise::system_bits();
  RootMeter meter({options.target, Unit::user, Neighbours::replace_one}, *bits);
  user_level::RunCounts counts;
  const Release release = user_erm(problem, options, meter, &counts);
  return {release.parameters.value(), static_cast<double>(counts.gradients), release.certificate.options};
}

// A clip norm a little above what the mean of m unit vectors is long.
inline Outcome sgd(const Problem& problem, const Size& size) {
  user_level::SgdOptions options;
  options.common.target = Approx{size.epsilon, delta};
  options.common.clip_norm = 1.5 / std::sqrt(static_cast<double>(size.records));
  options.common.radius = size.radius;
  options.common.threads = 1;
  options.records_per_user = static_cast<std::int64_t>(size.records);
  const auto bits = noise::system_bits();
  RootMeter meter({options.common.target, Unit::user, Neighbours::zero_out}, *bits);
  const Release release = user_sgd(problem, options, meter);
  return {release.parameters.value(),
          release.certificate.options.number("epochs") * static_cast<double>(problem.data->size()),
          release.certificate.options};
}

// Item-level DP-SGD at what group privacy leaves for each of m records.
inline Outcome group(const Problem& problem, const Size& size) {
  clipping::Options options;
  options.target = item_target({size.epsilon, delta}, size.records);
  options.clip_norm = 1;
  options.radius = size.radius;
  options.threads = 1;
  const auto bits = noise::system_bits();
  RootMeter meter({options.target, Unit::item, Neighbours::zero_out}, *bits);
  const Release release = dp_sgd(problem, options, meter);
  return {release.parameters.value(),
          release.certificate.options.number("epochs") * static_cast<double>(problem.data->size()),
          release.certificate.options};
}

}  // namespace experiment
