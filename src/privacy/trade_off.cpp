#include "tacit/privacy/trade_off.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/core/error.hpp"
#include "tacit/core/rounding.hpp"
#include "tacit/privacy/account.hpp"

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

}  // namespace

std::vector<ProfilePoint> privacy_profile(std::span<const Event> events, const Guarantee& stated) {
  std::vector<ProfilePoint> profile;
  if (std::holds_alternative<NoPrivacy>(stated)) return profile;
  const double end = end_of_curve(events, stated);
  if (end <= largest_epsilon)
    for (int k = 0; k < points; ++k) {
      const double epsilon = end * k / (points - 1);
      profile.push_back({epsilon, account_delta(events, epsilon).delta_upper});
    }
  if (const auto* pure = std::get_if<Pure>(&stated)) profile.push_back({pure->epsilon, 0});
  if (const auto* approx = std::get_if<Approx>(&stated)) profile.push_back({approx->epsilon, approx->delta});
  std::ranges::stable_sort(profile, {}, &ProfilePoint::epsilon);
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
