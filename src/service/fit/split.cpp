#include "service/fit/split.hpp"

#include <cmath>

#include "model/two_parts.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

// A delta is halved, less what the account of two such parts rounds up.
Guarantee part_of_whole(const Guarantee& whole, double share) {
  if (const auto* pure = std::get_if<Pure>(&whole)) return Pure{share * pure->epsilon};
  if (const auto* gaussian = std::get_if<Gaussian>(&whole)) return Gaussian{std::sqrt(share) * gaussian->mu};
  const auto& approx = std::get<Approx>(whole);
  return Approx{share * approx.epsilon, (0.5 - 0x1p-20) * approx.delta};
}

}  // namespace

std::pair<Guarantee, Guarantee> split_guarantee(const Guarantee& whole, double share, std::string_view whom) {
  // The second part is smaller by as little as the accountant admits.
  double room = std::holds_alternative<Approx>(whole) ? 0x1p-24 : unit_roundoff;
  for (; room < 0x1p-6; room *= 2) {
    const Guarantee first = part_of_whole(whole, share),
                    second = part_of_whole(whole, (1 - share) * (1 - room));
    if (fits(together(first, second, whole), whole)) return {first, second};
  }
  throw_error<UsageError>("{} is too small to be shared by {}", describe(event_of(whole)), whom);
}

}  // namespace tacit::inline v1::service
