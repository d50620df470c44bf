#include <span>

#include "noise/lazy_uniform.hpp"
#include "sampler/trial.hpp"

// A trial in interval arithmetic: what decides where doubles cannot.

namespace tacit::inline v1::sampler {

namespace {

Interval square_sum(std::span<const Interval> x, long precision) {
  Interval sum(0, precision);
  for (const Interval& one : x) sum += square(one);
  return sum;
}

}  // namespace

const Trial::Exact& Trial::exact(std::size_t words, BitSource& bits) {
  if (words == exact_words_) return exact_;
  undecided_ = true;
  exact_words_ = words;
  const Envelope& envelope = setting_.envelope;
  const Vector& deviation = envelope.shells.shells[shell_].deviation;
  exact_.precision = noise::precision_for(words, setting_.records->records()) + 64;
  exact_.z = z_.enclosures(words, bits);
  exact_.theta.clear();
  std::vector<Interval> v = exact_.z;
  for (std::size_t k = 0; k < v.size(); ++k)
    v[k] *= Interval(deviation[static_cast<Eigen::Index>(k)], exact_.precision);
  for (Eigen::Index j = 0; j < theta_.size(); ++j) {
    Interval sum(envelope.mode[j], exact_.precision);
    for (std::size_t k = 0; k < v.size(); ++k)
      sum += v[k] * envelope.transform(j, static_cast<Eigen::Index>(k));
    exact_.theta.push_back(std::move(sum));
  }
  return exact_;
}

bool Trial::exactly_in_shell(BitSource& bits) {
  const Shell& shell = setting_.envelope.shells.shells[shell_];
  const Vector& b = setting_.envelope.constants.b;
  const Interval inner(shell.inner), outer(shell.outer);
  for (std::size_t words = 2;; words *= 2) {
    noise::require_sane_bits(words);
    const Exact& at = exact(words, bits);
    Interval sum(0, at.precision);
    for (std::size_t k = 0; k < at.z.size(); ++k) {
      const auto j = static_cast<Eigen::Index>(k);
      sum += square(Interval(shell.deviation[j], at.precision) * at.z[k]) * b[j];
    }
    // The innermost shell has no inner edge: the sum is ≥ 0.
    if ((shell.inner == 0 || sum > inner) && sum < outer) return true;
    if ((shell.inner > 0 && sum < inner) || sum > outer) return false;
  }
}

bool Trial::exactly_in_ball(BitSource& bits) {
  const Target& target = setting_.target;
  for (std::size_t words = 2;; words *= 2) {
    noise::require_sane_bits(words);
    const Exact& at = exact(words, bits);
    std::vector<Interval> apart = at.theta;
    for (std::size_t k = 0; k < apart.size(); ++k)
      apart[k] -= Interval(target.center[static_cast<Eigen::Index>(k)]);
    const Interval sum = square_sum(apart, at.precision),
                   most = square(Interval(target.radius, at.precision));
    if (sum < most) return true;
    if (sum > most) return false;
  }
}

// γΣ(φᵢ − φᵢ(0)) + (ρ/2)‖θ‖².
Interval Trial::exact_energy(const std::vector<Interval>& theta, long precision) const {
  const Target& target = setting_.target;
  return setting_.records->rises(theta, precision) * target.inverse_temperature +
         square_sum(theta, precision) * (target.strength / 2);
}

// floor + ½‖z‖² − (energy(θ*) − energy(mode)) − ½κ(radius² − ‖mode − center‖²), where
// floor = ln ∏deviation − log_weight.
Interval Trial::exact_log_acceptance(std::size_t words, BitSource& bits) {
  const Exact& at = exact(words, bits);
  const Target& target = setting_.target;
  const Envelope& envelope = setting_.envelope;
  Interval product(1, at.precision);
  for (const double deviation : envelope.shells.shells[shell_].deviation) product = product * deviation;
  const Interval floor = log(product) - setting_.log_weights[shell_];
  const Interval half = square_sum(at.z, at.precision).times_power_of_two(-1);

  std::vector<Interval> mode, apart;
  for (Eigen::Index j = 0; j < envelope.mode.size(); ++j) {
    mode.emplace_back(envelope.mode[j], at.precision);
    apart.push_back(mode.back() - target.center[j]);
  }
  const Interval rises = exact_energy(at.theta, at.precision) - exact_energy(mode, at.precision);
  const Interval result = floor + half - rises;
  if (envelope.pull <= 0) return result;
  const Interval room = square(Interval(target.radius, at.precision)) - square_sum(apart, at.precision);
  return result - room * (envelope.pull / 2);
}

Vector Trial::rounded(double grid, BitSource& bits) {
  Vector result(theta_.size());
  const bool before = undecided_;
  for (Eigen::Index j = 0; j < result.size(); ++j)
    result[j] = noise::round_to_grid(
        [&](std::size_t words) { return exact(words + 1, bits).theta[static_cast<std::size_t>(j)]; }, grid);
  undecided_ = before;
  return result;
}

}  // namespace tacit::inline v1::sampler
