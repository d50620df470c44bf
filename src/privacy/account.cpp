#include "tacit/privacy/account.hpp"

#include "tacit/core/error.hpp"
#include "tacit/core/rounding.hpp"

namespace tacit::inline v1 {

namespace {

double pure_epsilon(const Event& event) {
  if (const auto* e = std::get_if<PureEvent>(&event)) return e->epsilon;
  if (const auto* e = std::get_if<LaplaceEvent>(&event)) return e->epsilon;
  if (const auto* e = std::get_if<IsotropicLaplaceEvent>(&event)) return e->epsilon;
  if (const auto* e = std::get_if<BoundedRangeEvent>(&event)) return e->epsilon;
  throw_error<UsageError>("a step is not pure DP, so it cannot be charged to a pure budget");
}

}  // namespace

Guarantee compose(std::span<const Event> events, const Guarantee& target) {
  if (std::holds_alternative<NoPrivacy>(target)) return NoPrivacy{};
  if (std::holds_alternative<Pure>(target)) {
    double total = 0;
    for (const Event& event : events) {
      const double epsilon = pure_epsilon(event);
      total = total == 0 ? epsilon : add_up(total, epsilon);
    }
    return Pure{total};
  }
  throw_error<UsageError>("no accountant for {} budgets", notion(target));
}

bool fits(const Guarantee& spent, const Guarantee& limit) {
  if (std::holds_alternative<NoPrivacy>(limit)) return true;
  if (const auto* pure = std::get_if<Pure>(&limit)) return std::get<Pure>(spent).epsilon <= pure->epsilon;
  return false;
}

}  // namespace tacit::inline v1
