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
  Certificate
      certificate;       // the method's own, whose steps are none where they follow from what the fit finds
  std::string no_steps;  // why there are none
};
// `given` is what the method is told; `units` the public number of records, or of users. InfeasibleError
// where no fit can keep what is asked.
PlannedMethod planned_method(const Method& method, const Facts& given, const Shape& shape, std::size_t units,
                             const Budget& budget);

// That a category without records would have a coefficient of noise that moves predictions, by the columns
// where it would; empty where it would not, or where public values do not tell. Of the planned fit's
// certificate its method, guarantee, steps, options and public facts count.
std::string noisy_categories(const Certificate& planned, const Shape& shape, const Schema& schema);

}  // namespace tacit::inline v1::service
