#pragma once

#include <cstddef>
#include <string>

#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"
#include "tacit/model.hpp"

// What public sizes let one expect of a fit. Each is empty where there is nothing to say.

namespace tacit::inline v1::service {

std::string few_for_parameters(const Guarantee& guarantee, Unit unit, std::size_t count,
                               std::size_t parameters);
// That the promise is too weak to mean much.
std::string weak_promise_warning(const Certificate& certificate);
// That noise hides how curved the loss is, so that intervals are wide.
TACIT_API std::string hidden_curvature_warning(const FittedModel& model);
// For rows that no schema describes.
std::string few_for_features(const Guarantee& guarantee, std::size_t count, std::size_t features);

}  // namespace tacit::inline v1::service
