#include "tacit/algorithm/user_level/group_privacy.hpp"

#include <cmath>
#include <limits>

#include "caps.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/rounding.hpp"

namespace tacit::inline v1::user_level {

Approx item_target(const Approx& user, std::int64_t records) {
  tacit::validate(Guarantee(user));
  require_cap(records);
  const double k = static_cast<double>(records), epsilon = div_down(user.epsilon, k),
               all = mul_up(epsilon, k);
  // (e^{ε'} − 1)/(e^{kε'} − 1) = e^{−(k−1)ε'}·(1 − e^{−ε'})/(1 − e^{−kε'}): e^{kε'} may be beyond all
  // doubles. For k = 1 it is 1.
  const double others = records == 1 ? 0.0 : mul_up(epsilon, k - 1);
  const double share = div_down(library_down(-std::expm1(-epsilon)), library_up(-std::expm1(-all)));
  const double delta = mul_down(user.delta, mul_down(exp_down(-others), share));
  if (!(delta >= std::numeric_limits<double>::min()))
    throw_error<InfeasibleError>(
        "epsilon {} and delta {} for groups of {} records leave each record a delta below {:.1e}, the least "
        "that can be computed with; expected a smaller epsilon, fewer records-per-user, or user-sgd",
        user.epsilon, user.delta, records, std::numeric_limits<double>::min());
  return {epsilon, delta};
}

}  // namespace tacit::inline v1::user_level
