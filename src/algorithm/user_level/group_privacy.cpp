#include "tacit/algorithm/user_level/group_privacy.hpp"

#include <cmath>

#include "caps.hpp"
#include "tacit/core/rounding.hpp"

namespace tacit::inline v1::user_level {

Approx item_target(const Approx& user, std::int64_t records) {
  tacit::validate(Guarantee(user));
  require_cap(records);
  const double epsilon = div_down(user.epsilon, static_cast<double>(records));
  const double ratio = div_down(library_down(std::expm1(epsilon)),
                                library_up(std::expm1(mul_up(epsilon, static_cast<double>(records)))));
  return {epsilon, mul_down(user.delta, ratio)};
}

}  // namespace tacit::inline v1::user_level
