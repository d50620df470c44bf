#include "service/fit/weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"

namespace tacit::inline v1::service {

namespace {

std::string methods_that_weigh() {
  std::string names;
  for (const Method& method : methods())
    if (method.weighs && !offers(method, Notion::none))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", method.name);
  return names;
}

}  // namespace

void check_weight_bound(double bound, const Method& method) {
  if (!(bound >= 0x1p-100 && bound <= 0x1p100))
    throw_error<UsageError>("the weight bound is {}, expected between {:.1e} and {:.1e}", bound, 0x1p-100,
                            0x1p100);
  if (!method.weighs)
    throw_error<UsageError>("the method {} takes no weights; these do: {}", method.name,
                            methods_that_weigh());
}

std::vector<double> parts_of_bound(std::vector<double> weights, const std::optional<double>& bound) {
  if (weights.empty() && bound) throw_error<UsageError>("there is a bound on weights, but no record has one");
  if (!weights.empty() && !bound)
    throw_error<UsageError>(
        "the records have weights: give a weight bound, a public number that none is meant to exceed");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isnan(weights[i])) throw_error<DataError>("record {}: the weight is not a number", i);
    weights[i] = std::clamp(weights[i], 0.0, *bound) / *bound;  // at most 1, also rounded
  }
  return weights;
}

}  // namespace tacit::inline v1::service
