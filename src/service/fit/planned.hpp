#pragma once

#include <string>
#include <vector>

#include "tacit/data.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"
#include "tacit/problem.hpp"

// What a method would do, and what can be said of it, from public values alone.

namespace tacit::inline v1::service {

struct PlannedMethod {
  Facts options;            // as its certificate would state them
  std::vector<Step> steps;  // none where they follow from what the fit finds
  std::string no_steps;     // why there are none
};
// `given` is what the method is told; shape.records is the public number. InfeasibleError where no fit can
// keep what is asked.
PlannedMethod planned_method(const Method& method, const Facts& given, const Shape& shape,
                             Neighbours neighbours);

// That a category without records would have a coefficient of noise that moves predictions, by the columns
// where it would; empty where it would not, or where public values do not tell. Of the planned fit's
// certificate its method, guarantee, steps, options and public facts count.
std::string noisy_categories(const Certificate& planned, const Shape& shape, const Schema& schema);

}  // namespace tacit::inline v1::service
