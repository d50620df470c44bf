#include "algorithm/shard_passes.hpp"

#include <array>

#include "algorithm/nonconvex/estimate_sums.hpp"
#include "algorithm/plain.hpp"
#include "algorithm/secret_parts.hpp"
#include "algorithm/tuning.hpp"
#include "algorithm/user_level/user_group.hpp"
#include "algorithm/user_level/user_sgd.hpp"
#include "sampler/mala.hpp"
#include "sampler/record_sums.hpp"
#include "solver/anchored_values.hpp"
#include "solver/batch_pass.hpp"
#include "solver/limited_sums.hpp"

namespace tacit::inline v1 {

std::span<const PassKind> shard_passes() {
  static const std::array kinds = {limited_sums_pass(),
                                   clipped_sums_pass(),
                                   anchored_values_pass(),
                                   sampler::potential_pass(),
                                   sampler::record_sums_pass(),
                                   nonconvex::estimate_sums_pass(),
                                   parts_pass(),
                                   plain::record_sizes_pass(),
                                   tuning::scores_pass(),
                                   user_level::user_sums_pass(),
                                   user_level::group_sums_pass()};
  return kinds;
}

}  // namespace tacit::inline v1
