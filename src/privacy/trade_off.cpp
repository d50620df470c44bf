#include "privacy/trade_off.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr double largest_epsilon = 700;    // ln of the largest double is 709
constexpr double negligible_delta = 1e-9;  // [utility only: where the curve ends]
constexpr int points = 61;

// Where the curve ends: no later than a pure guarantee does.
double end_of_curve(std::span<const Event> events, const Guarantee& stated) {
  if (const auto* pure = std::get_if<Pure>(&stated)) return pure->epsilon;
  const double end = account(events, negligible_delta).epsilon_upper;
  const auto* approx = std::get_if<Approx>(&stated);
  // Failures alone may be likelier than that.
  return std::isinf(end) && approx != nullptr ? 2 * approx->epsilon : end;
}

// The delta at a smaller epsilon that (epsilon, delta)-DP implies, the relation of neighbours being
// symmetric: 1 − δ' = (1 − δ)(1 + e^ε')/(1 + e^ε) [Kairouz, Oh & Viswanath 2015]: the corner where both
// bounds of the best test meet.
double implied_delta(const ProfilePoint& point, double epsilon) {
  const double share = div_down(add_down(1, exp_down(epsilon)), add_up(1, exp_up(point.epsilon)));
  return sub_up(1, mul_down(std::max(0.0, sub_down(1, point.delta)), share));
}

// Every point is true by itself; together they say more.
void tighten(std::vector<ProfilePoint>& profile) {
  for (std::size_t k = 0; k < profile.size(); ++k) {
    if (k > 0) profile[k].delta = std::min(profile[k].delta, profile[k - 1].delta);
    for (std::size_t j = k + 1; j < profile.size(); ++j)
      profile[k].delta = std::min(profile[k].delta, implied_delta(profile[j], profile[k].epsilon));
  }
}

}  // namespace

std::vector<ProfilePoint> privacy_profile(std::span<const Event> events, const Guarantee& stated) {
  std::vector<ProfilePoint> profile;
  if (std::holds_alternative<NoPrivacy>(stated)) return profile;
  const double end = end_of_curve(events, stated);
  const auto* pure = std::get_if<Pure>(&stated);
  const int computed = pure != nullptr ? points - 1 : points;  // a pure guarantee is itself the last point
  if (end <= largest_epsilon)
    for (int k = 0; k < computed; ++k) {
      const double epsilon = end * k / (points - 1);
      profile.push_back({epsilon, account_delta(events, epsilon).delta_upper});
    }
  if (pure != nullptr) profile.push_back({pure->epsilon, 0});
  if (const auto* approx = std::get_if<Approx>(&stated)) profile.push_back({approx->epsilon, approx->delta});
  std::ranges::stable_sort(profile, {}, &ProfilePoint::epsilon);
  if (end <= largest_epsilon) tighten(profile);
  return profile;
}

double most_true_positives(std::span<const ProfilePoint> profile, double false_positives) {
  if (!(false_positives >= 0 && false_positives <= 1))
    throw_error<UsageError>("the false-positive rate is {}, expected 0 to 1", false_positives);
  double most = 1;
  for (const auto& [epsilon, delta] : profile) {
    const double by_false_positives = add_up(mul_up(exp_up(epsilon), false_positives), delta);
    const double true_negatives = std::max(0.0, sub_down(sub_down(1, delta), false_positives));
    const double by_true_negatives = sub_up(1, mul_down(exp_down(-epsilon), true_negatives));
    most = std::min({most, by_false_positives, by_true_negatives});
  }
  return most;
}

}  // namespace tacit::inline v1
