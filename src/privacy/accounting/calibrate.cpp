#include "privacy/accounting/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "privacy/accounting/calibrate_pair.hpp"
#include "privacy/accounting/conversions.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr double most_overshoot = 1e-3;  // of epsilon: the promise of the header

// sqrt(steps)/sigma <= mu; twice that under replace_one, where the sum moves by 2.
double sigma_for_mu(double mu, std::int64_t steps, Neighbours relation) {
  const double shift = relation == Neighbours::replace_one ? 2 : 1;
  double sigma = shift * div_up(sqrt_up(static_cast<double>(steps)), mu);
  while (shift * div_up(sqrt_up(static_cast<double>(steps)), sigma) > mu) sigma = next_up(sigma);
  return sigma;
}

// Finds sigma by false position on ln sigma against ln epsilon, which is nearly a line, within a shrinking
// interval whose upper end is enough and whose lower end is not.
class Search {
 public:
  Search(const Approx& target, double rate, std::int64_t steps, Neighbours relation,
         std::span<const Event> others = {})
      : target_(target),
        rate_(rate),
        steps_(steps),
        relation_(relation),
        others_(others.begin(), others.end()) {}
  Search(const Approx& target, const SampledPair& pair)
      : target_(target), rate_(pair.rate), steps_(pair.first), relation_(Neighbours::zero_out), pair_(pair) {}

  double run() {
    bracket_root(guess());
    while (!close_enough() && high_.sigma > low_.sigma * (1 + 1e-12)) {
      const double sigma = next();
      const Point at{sigma, epsilon(sigma)};
      (at.epsilon <= target_.epsilon ? high_ : low_) = at;
    }
    return high_.sigma;
  }

 private:
  struct Point {
    double sigma = 0, epsilon = 0;
  };

  double epsilon(double sigma) const {
    if (pair_) {
      const std::array<Event, 2> events = {
          PoissonGaussianEvent{sigma, rate_, static_cast<std::uint64_t>(steps_)},
          PoissonGaussianEvent{pair_->ratio * sigma, rate_, static_cast<std::uint64_t>(pair_->second)}};
      return account(events, target_.delta).epsilon_upper;
    }
    if (!others_.empty()) {
      std::vector<Event> events = others_;
      events.push_back(PoissonGaussianEvent{sigma, rate_, static_cast<std::uint64_t>(steps_)});
      return account(events, target_.delta).epsilon_upper;
    }
    return account_poisson_gaussian(sigma, rate_, steps_, target_.delta, relation_).epsilon_upper;
  }

  // By the central limit theorem [Dong, Roth & Su 2022, Cor. 5.4]: mu ≈ q sqrt(T (e^{1/sigma²} − 1)).
  double guess() const {
    const double mu = calibrate_gaussian(target_) / (relation_ == Neighbours::replace_one ? 2 : 1);
    const double ratio = mu / (rate_ * std::sqrt(static_cast<double>(steps_)));
    return 1 / std::sqrt(std::log1p(ratio * ratio));
  }

  void bracket_root(double sigma) {
    constexpr double least = 1e-3, most = 1e9;
    double factor = 1.25;
    sigma = std::clamp(sigma, least, most);
    Point at{sigma, epsilon(sigma)};
    const bool enough = at.epsilon <= target_.epsilon;
    (enough ? high_ : low_) = at;
    while (true) {
      if (at.sigma == (enough ? least : most))
        throw_error<UsageError>(
            "epsilon = {}, delta = {} at rate {} and {} steps ask for a noise multiplier outside of "
            "{} to {}",
            target_.epsilon, target_.delta, rate_, steps_, least, most);
      at.sigma = enough ? std::fmax(at.sigma / factor, least) : std::fmin(at.sigma * factor, most);
      factor *= factor;  // so that a hopeless target is refused soon
      at.epsilon = epsilon(at.sigma);
      if ((at.epsilon <= target_.epsilon) != enough) break;
      (enough ? high_ : low_) = at;
    }
    (enough ? low_ : high_) = at;
  }

  bool close_enough() const { return high_.epsilon >= (1 - 0.8 * most_overshoot) * target_.epsilon; }

  // Aims a little below the target, and never so near to an end that the interval hardly shrinks.
  double next() const {
    const double x = std::log(low_.sigma), y = std::log(high_.sigma);
    double part = 0.5;
    if (high_.epsilon > 0 && std::isfinite(low_.epsilon)) {
      const double goal = std::log((1 - 0.3 * most_overshoot) * target_.epsilon);
      part = (std::log(low_.epsilon) - goal) / (std::log(low_.epsilon) - std::log(high_.epsilon));
    }
    return std::exp(x + (y - x) * std::fmin(std::fmax(part, 0.02), 0.98));
  }

  Approx target_;
  double rate_;
  std::int64_t steps_;
  Neighbours relation_;
  std::vector<Event> others_;
  std::optional<SampledPair> pair_;  // its first kind has rate_ and steps_
  Point low_, high_;
};

void check_steps(double rate, std::int64_t steps) {
  if (steps <= 0) throw_error<UsageError>("steps is {}, expected >= 1", steps);
  if (!(rate > 0 && rate <= 1))
    throw_error<UsageError>("the sampling rate is {}, expected 0 < rate <= 1", rate);
}

void require_noise_needed(const Approx& target, double rate, std::int64_t steps) {
  if (-std::expm1(static_cast<double>(steps) * std::log1p(-rate)) <= target.delta)
    throw_error<UsageError>(
        "delta = {} is as large as the chance of being sampled at all: no noise is needed, and no "
        "privacy left",
        target.delta);
}

double search_gaussian(const Approx& target) {
  // gaussian_epsilon(mu, delta) <= epsilon. It is the least epsilon that suffices, up to 2^-41 relative: one
  // or two deltas tell, except where mu is as near to the answer.
  const auto within = [&](double mu) {
    if (!gaussian_keeps(mu, target.epsilon, target.delta)) return false;
    if (gaussian_keeps(mu, target.epsilon * (1 - 0x1p-39), target.delta)) return true;
    return gaussian_epsilon(mu, target.delta) <= target.epsilon;
  };
  double low = 0, high = 1;
  while (within(high)) low = high, high *= 2;
  while (high - low > 1e-9 * high) {
    const double middle = (low + high) / 2;
    (within(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

double calibrate_gaussian(const Approx& target) {
  validate(Guarantee(target));
  // The last answer is kept: audits and repeated fits ask for the same one over and over.
  thread_local std::pair<Approx, double> last{{0, 0}, 0};
  if (last.first.epsilon != target.epsilon || last.first.delta != target.delta)
    last = {target, search_gaussian(target)};
  return last.second;
}

double calibrate_noise(const Guarantee& target, double rate, std::int64_t steps, Neighbours relation) {
  validate(target);
  check_steps(rate, steps);
  if (const auto* gaussian = std::get_if<Gaussian>(&target))
    return sigma_for_mu(gaussian->mu, steps, relation);
  if (const auto* zcdp = std::get_if<Zcdp>(&target)) {
    constexpr double least = 0x1p-1000;  // below, rho comes in steps that no step of mu might reach
    if (zcdp->rho < least)
      throw_error<UsageError>("rho is {}, too small for any noise, expected at least {}", zcdp->rho, least);
    double mu = sqrt_down(2 * zcdp->rho);
    while (to_zcdp(Gaussian{mu}).rho > zcdp->rho) mu = next_down(mu);
    return sigma_for_mu(mu, steps, relation);
  }
  if (const auto* approx = std::get_if<Approx>(&target)) {
    require_noise_needed(*approx, rate, steps);
    // The last answer is kept: audits and repeated fits ask for the same one over and over.
    const auto question = std::tuple(approx->epsilon, approx->delta, rate, steps, relation);
    thread_local std::pair<std::tuple<double, double, double, std::int64_t, Neighbours>, double> last;
    if (last.first != question) last = {question, Search(*approx, rate, steps, relation).run()};
    return last.second;
  }
  throw_error<UsageError>("noise cannot be calibrated to a {} guarantee, expected approx, gaussian or zcdp",
                          notion(target));
}

double calibrate_noise_beside(std::span<const Event> others, const Approx& target, double rate,
                              std::int64_t steps) {
  validate(Guarantee(target));
  check_steps(rate, steps);
  require_noise_needed(target, rate, steps);
  if (const double spent = account(others, target.delta).epsilon_upper; !(spent < target.epsilon))
    throw_error<UsageError>("the other steps cost epsilon = {:.6g} of {}, which leaves nothing", spent,
                            target.epsilon);
  return Search(target, rate, steps, Neighbours::zero_out, others).run();
}

namespace {

// By bisection: epsilon grows with mu.
double search_objective(GaussianObjectiveEvent event, std::span<const Event> others, const Approx& target) {
  std::vector<Event> events(others.begin(), others.end());
  events.emplace_back(event);
  const auto epsilon = [&](double mu) {
    event.mu = mu;
    events.back() = event;
    return account(events, target.delta).epsilon_upper;
  };
  const auto leaves_nothing = [&] {
    throw_error<UsageError>(
        "epsilon {} leaves nothing for noise: the Jacobian's term is {:.4g}, and with the other steps it "
        "takes all",
        target.epsilon, event.jacobian);
  };
  if (event.jacobian >= target.epsilon) leaves_nothing();
  // A plain Gaussian mechanism costs no more, so its mu is too large.
  double low = 0, high = calibrate_gaussian(target) * (1 + 1e-6);
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2, found = epsilon(middle);
    if (found > target.epsilon) {
      high = middle;
    } else {
      low = middle;
      if (found >= (1 - most_overshoot) * target.epsilon) break;
    }
    if (low == 0 && high < 1e-6 * target.epsilon) leaves_nothing();
  }
  return low;
}

}  // namespace

double calibrate_objective(GaussianObjectiveEvent event, std::span<const Event> others,
                           const Approx& target) {
  validate(Guarantee(target));
  event.mu = 1;
  // The last answer is kept: audits and repeated fits ask for the same one over and over.
  struct Last {
    GaussianObjectiveEvent event;
    std::vector<Event> others;
    Approx target{0, 0};
    double mu = 0;
  };
  thread_local Last last;
  if (last.event != event || !std::ranges::equal(last.others, others) ||
      last.target.epsilon != target.epsilon || last.target.delta != target.delta)
    last = {event, {others.begin(), others.end()}, target, search_objective(event, others, target)};
  return last.mu;
}

double calibrate_noise_pair(const Approx& target, const SampledPair& steps) {
  validate(Guarantee(target));
  check_steps(steps.rate, steps.first);
  check_steps(steps.rate, steps.second);
  if (!(steps.ratio > 0 && std::isfinite(steps.ratio)))
    throw_error<UsageError>("the ratio of noise multipliers is {}, expected a finite number > 0",
                            steps.ratio);
  require_noise_needed(target, steps.rate, steps.first + steps.second);
  // The last answer is kept: audits and repeated fits ask for the same one over and over.
  const auto key =
      std::tuple(target.epsilon, target.delta, steps.rate, steps.first, steps.second, steps.ratio);
  thread_local std::pair<std::tuple<double, double, double, std::int64_t, std::int64_t, double>, double>
      last{};
  if (last.first != key) last = {key, Search(target, steps).run()};
  return last.second;
}

}  // namespace tacit::inline v1
