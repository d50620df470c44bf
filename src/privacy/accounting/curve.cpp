#include "privacy/accounting/curve.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/numbers.hpp"
#include "privacy/accounting/fourier.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

namespace {

double to_double(std::int64_t k) { return static_cast<double>(k); }

// The masses e^{λl − log_moment} ν(l), rounded to the side.
struct Tilted {
  std::vector<Tap> taps;
  double log_moment = 0;
};

double log_sum(const std::vector<Tap>& taps, double step, double lambda) {
  double most = -infinity, sum = 0;
  for (const Tap& tap : taps)
    most = std::fmax(most, std::log(tap.mass) + lambda * step * to_double(tap.index));
  for (const Tap& tap : taps)
    sum += std::exp(std::log(tap.mass) + lambda * step * to_double(tap.index) - most);
  return most + std::log(sum);
}

Tilted tilt(const LatticeLaw& law, double lambda, Side side) {
  Tilted tilted{.taps = law.taps, .log_moment = log_sum(law.taps, law.step, lambda)};
  const double sign = side == Side::above ? 1 : -1;
  for (Tap& tap : tilted.taps) {
    const double exponent = lambda * (law.step * to_double(tap.index)) - tilted.log_moment;
    // the exponent carries 2u(|λl| + |log_moment|), exp and the product less than 8u
    const double slack = unit_roundoff * (16 + 4 * std::fabs(tilted.log_moment) + 4 * std::fabs(exponent));
    const double mass = tap.mass * std::exp(exponent) * (1 + sign * slack);
    tap.mass = side == Side::above ? next_up(mass) : std::fmax(next_down(mass), 0.0);
  }
  return tilted;
}

std::int64_t modulo(std::int64_t k, std::int64_t modulus) { return ((k % modulus) + modulus) % modulus; }

// Onto the integers modulo `size`; what falls together is added, rounded to the side.
Factor fold(const Tilted& tilted, double count, std::size_t size, Side side) {
  std::map<std::size_t, double> slots;
  for (const Tap& tap : tilted.taps) {
    double& slot = slots[static_cast<std::size_t>(modulo(tap.index, static_cast<std::int64_t>(size)))];
    slot = slot == 0 ? tap.mass : side == Side::above ? next_up(slot + tap.mass) : next_down(slot + tap.mass);
  }
  Factor factor{.points = {}, .count = count};
  for (const auto& [at, mass] : slots) factor.points.push_back({at, mass});
  return factor;
}

// ln of Σ e^{s·index·step} over the composed tilted law, rounded up. By Chernoff, e^{this − s·x} bounds the
// mass at or above x for s > 0, at or below x for s < 0.
double log_moment_at(std::span<const Tilted> tilted, std::span<const LatticePart> parts, double s) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < tilted.size(); ++i) {
    const double step = parts[i].law.step;
    double most = 0;
    for (const Tap& tap : tilted[i].taps) most = std::fmax(most, std::fabs(to_double(tap.index)));
    const double rounding = to_double(std::ssize(tilted[i].taps)) + std::fabs(s) * step * most + 1000;
    const double term = parts[i].count * (log_sum(tilted[i].taps, step, s) + 4 * unit_roundoff * rounding);
    sum += term;
    size += std::fabs(term);
  }
  return sum + 4 * unit_roundoff * to_double(std::ssize(tilted) + 2) * size;
}

}  // namespace

Curve::Curve(std::span<const LatticePart> parts, const Plan& plan, Side side) : plan_(plan), side_(side) {
  parts_ = std::ssize(parts);
  add_up_constants(parts);
  // Without finite mass in some part there is none in the sum.
  if (parts.empty() || std::ranges::any_of(parts, [](const auto& part) { return part.law.taps.empty(); }))
    return;
  std::vector<Tilted> tilted;
  std::vector<Factor> factors;
  for (const LatticePart& part : parts) {
    tilted.push_back(tilt(part.law, plan.lambda, side));
    factors.push_back(fold(tilted.back(), part.count, plan.size, side));
    log_scale_ += part.count * tilted.back().log_moment;
    log_scale_size_ += part.count * std::fabs(tilted.back().log_moment);
  }
  total_mass_log_ = std::fmax(log_moment_at(tilted, parts, 0), 0.0);
  upper_moment_log_ = log_moment_at(tilted, parts, plan.upper_tilt);
  lower_moment_log_ = log_moment_at(tilted, parts, -plan.lower_tilt);
  untilted_log_ = log_moment_at(tilted, parts, -plan.lambda);
  size_ = static_cast<std::int64_t>(plan.size);
  const double first = std::floor((plan.low - offset_) / plan.step) - 2;
  constexpr double steepest = 600;  // e^{−600} is a normal double; beyond, a tail could vanish unseen
  blind_ = !(std::fabs(first) < index_limit && plan.lambda * plan.step < steepest);
  if (blind_) return;
  first_ = static_cast<std::int64_t>(first);
  band_ = Band::of(factors, plan.size);
  if (!band_) sum_tails(convolve(factors, plan.size, plan.precision));
}

void Curve::add_up_constants(std::span<const LatticePart> parts) {
  double log_no_failure = 0;
  for (const LatticePart& part : parts) {
    const double offset = part.count * part.law.offset;
    offset_ += offset;
    shift_ += part.count * part.law.shift + 4 * unit_roundoff * (std::fabs(offset) + std::fabs(offset_));
    infinite_ = next_up(infinite_ + next_up(part.count * part.law.infinite));
    log_no_failure += part.count * std::log1p(-part.law.infinite);
  }
  shift_ *= 1 + 64 * unit_roundoff;
  // above: the sum of the failures; below: 1 − Π(1 − failure)
  if (side_ == Side::below) infinite_ = std::fmax(-std::expm1(log_no_failure) * (1 - 1e-12), 0.0);
}

// With r = e^{−h}, t = e^{−λh}, A_k = Σ_{l>=k} t^{l−k} m_l and D_k = Σ_{l>k} t^{l−k} (1 − r^{l−k}) m_l:
//   D_k = t (r D_{k+1} + (1−r) A_{k+1}),  A_k = m_k + t A_{k+1}.   Nothing cancels.
void Curve::sum_tails(const Convolution& sum) {
  const bool above = side_ == Side::above;
  const double h = plan_.step, r = std::exp(-h), one_less_r = -std::expm1(-h),
               t = std::exp(-plan_.lambda * h);
  double a = mass_beyond(), d = a;
  tail_.resize(plan_.size);
  const std::int64_t offset = modulo(first_, size_);
  for (std::int64_t k = size_; k-- > 0;) {
    const double mass = sum.mass[static_cast<std::size_t>((k + offset) % size_)];
    d = t * (r * d + one_less_r * a);
    a = t * a + (above ? std::fmax(mass, 0.0) + sum.error : std::fmax(mass - sum.error, 0.0));
    tail_[static_cast<std::size_t>(k)] = d;
  }
}

// What lies outside of the window appears folded into it. Above, that can only add, but for the mass beyond
// the top, which is put there once more. Below, alias() bounds what it can have added.
double Curve::mass_beyond() const {
  return side_ == Side::above ? mass_above(plan_.step * to_double(first_ + size_)) : 0;
}

double Curve::tail(std::int64_t k) const {
  if (!band_) {
    // Each step of the recursion rounds by less than 8u, the constants in it carry less than 8u a step.
    const double slack = unit_roundoff * 16 * to_double(size_), d = tail_[static_cast<std::size_t>(k)];
    return side_ == Side::above ? d * (1 + slack) : d * (1 - slack);
  }
  const Approximation sum = band_->tail(first_ + k, size_ - 1 - k, plan_.lambda, plan_.step);
  if (side_ == Side::below) return std::fmax(sum.value - sum.error, 0.0);
  const double exponent = -plan_.lambda * (plan_.step * to_double(size_ - k));
  return std::fmax(sum.value, 0.0) + sum.error +
         std::exp(exponent + 8 * unit_roundoff * std::fabs(exponent)) * mass_beyond();
}

// Of the tilted composition, by Chernoff's bound.
double Curve::mass_above(double x) const {
  const double exponent = upper_moment_log_ - plan_.upper_tilt * x;
  return std::exp(
             std::fmin(exponent + 8 * unit_roundoff * std::fabs(plan_.upper_tilt * x), total_mass_log_)) *
         (1 + 1e-12);
}
double Curve::mass_below(double x) const {
  const double exponent = lower_moment_log_ + plan_.lower_tilt * x;
  return std::exp(
             std::fmin(exponent + 8 * unit_roundoff * std::fabs(plan_.lower_tilt * x), total_mass_log_)) *
         (1 + 1e-12);
}

// A loss l outside of the window appears at l + m·width inside. At point x it counts there if it appears
// above x, by at most e^{−λ(l+m·width−x)} and by less than 1/(1+λ). From above that needs l > x + width. From
// below m >= 1, so that all of it counts by at most Σ e^{−λ(l+width−x)}.
double Curve::alias(std::int64_t k) const {
  const double x = plan_.step * to_double(first_ + k), width = plan_.step * to_double(size_);
  const double from_above = mass_above(x + width) / (1 + plan_.lambda);
  const double little_below = mass_below(plan_.step * to_double(first_)) / (1 + plan_.lambda);
  const double exponent = plan_.lambda * (x - width);
  const double tilted_away = std::exp(untilted_log_ + exponent + 8 * unit_roundoff * std::fabs(exponent));
  return (from_above + std::fmin(little_below, tilted_away)) * (1 + 1e-12);
}

// Of log_scale_, of `at` and of what is added to them. (log_scale_ has as many roundings as parts, less than
// 2^20.)
double Curve::log_rounding(double at) const {
  return unit_roundoff * (to_double(parts_ + 8) * log_scale_size_ + 8 * std::fabs(at) + 2048);
}

double Curve::log_at(std::int64_t k) const {
  double d = tail(k);
  if (side_ == Side::below) d = std::fmax(d - alias(k), 0.0);
  const double at = plan_.lambda * (plan_.step * to_double(first_ + k));
  const double slack = log_rounding(at);
  const double value = log_scale_ - at + std::log(d);
  return side_ == Side::above ? value + slack : value - slack;
}

// The epsilon (before the shift) at which ln delta passes the target: delta is linear in e^epsilon between
// grid points. Rounded to the safe side.
double Curve::crossing(double log_target) const {
  if (blind_) return side_ == Side::above ? infinity : -infinity;
  std::int64_t low = 0, high = size_;  // log_at(high) <= target; `low − 1` is above it
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (log_at(middle) <= log_target)
      high = middle;
    else
      low = middle + 1;
  }
  const double at = plan_.step * to_double(first_ + low);
  if (low == size_) return side_ == Side::above ? infinity : at - plan_.step;
  if (low == 0) return side_ == Side::above ? at : -infinity;
  const double before = std::exp(log_at(low - 1) - log_target), after = std::exp(log_at(low) - log_target);
  const double part = (before - 1) / (before - after);  // of the way in e^epsilon
  const double inside = std::log1p(part * std::expm1(plan_.step));
  // `before` and `after` carry `blur` relative, so `part` four times that over their relative distance.
  const double blur = log_rounding(plan_.lambda * at);
  const double slack = plan_.step * std::fmin(1e-12 + 8 * blur * before / (before - after), 1.0) +
                       4 * unit_roundoff * std::fabs(at);
  if (!(inside >= 0 && inside <= plan_.step)) return side_ == Side::above ? at : at - plan_.step;
  return side_ == Side::above ? at - plan_.step + inside + slack : at - plan_.step + inside - slack;
}

// F(z) <= e^{−λz} E e^{λL}: holds whatever the transform did.
double Curve::chernoff_epsilon(double log_target) const {
  const double exponent = log_scale_ + total_mass_log_ - log_target + log_rounding(log_target);
  return next_up(exponent / plan_.lambda);
}

double Curve::epsilon(double delta) const {
  const double left = side_ == Side::above ? sub_down(delta, infinite_) : sub_up(delta, infinite_);
  if (side_ == Side::below && left <= 0) return infinity;
  if (!(left > 0)) return infinity;
  if (size_ == 0) return 0;
  const double log_target = side_ == Side::above ? library_down(std::log(left)) : library_up(std::log(left));
  double z = crossing(log_target);
  if (side_ == Side::above) {
    z = std::fmin(z, chernoff_epsilon(log_target));
    return std::fmax(next_up(next_up(z + offset_) + shift_), 0.0);
  }
  return std::isfinite(z) ? std::fmax(next_down(next_down(z + offset_) - shift_), 0.0) : 0.0;
}

double Curve::delta(double epsilon) const {
  if (size_ == 0) return infinite_;
  const double sign = side_ == Side::above ? 1 : -1;
  // delta falls with z, so moving z by its own rounding is on the safe side.
  const double rounding = 8 * unit_roundoff * (epsilon + std::fabs(offset_) + shift_);
  const double z = epsilon - offset_ - sign * (shift_ + rounding);
  const double position = std::floor(z / plan_.step) - to_double(first_);
  double value = 0;
  const double exponent = log_scale_ + total_mass_log_ - plan_.lambda * z + log_rounding(plan_.lambda * z);
  const double chernoff = std::exp(std::fmin(exponent, 0.0)) * (1 + 1e-12);
  if (blind_) {
    value = side_ == Side::above ? chernoff : 0;
  } else if (position < 0) {
    value = side_ == Side::above ? chernoff : std::exp(log_at(0));
  } else if (position + 1 >= to_double(size_)) {
    value = side_ == Side::above ? chernoff : 0;
  } else {
    const auto k = static_cast<std::int64_t>(position);
    const double start = plan_.step * to_double(first_ + k);
    const double part = std::clamp(std::expm1(z - start) / std::expm1(plan_.step), 0.0, 1.0);
    const double slack = 1e-9 + 8 * unit_roundoff * std::fabs(z) / plan_.step;  // of `part`, generously
    value = (1 - part) * std::exp(log_at(k)) + part * std::exp(log_at(k + 1));
    value = side_ == Side::above ? std::fmin(value * (1 + slack), chernoff) : value * (1 - slack);
  }
  return std::clamp(side_ == Side::above ? next_up(value + infinite_) : next_down(value + infinite_), 0.0,
                    1.0);
}

}  // namespace tacit::inline v1::pld
