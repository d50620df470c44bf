#pragma once

#include <string>
#include <vector>

#include "service/fit/steps.hpp"
#include "tacit/data.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"
#include "tacit/problem.hpp"

// What a method would do, and what can be said of it, from public values alone.

namespace tacit::inline v1::service {

// A fit of `units` records, or users, with this schema, up to where the records come in.
struct ExpectedFit {
  FitRecords records;  // none, with the columns and classes that they would have
  LossSpec loss;
  Shape shape;  // of so many records
  PreparedTarget target;
  Facts facts;  // what the method is told
  Choice choice;
};
// The method is run on records that say nothing, up to its first step: what it refuses there it refuses by
// public values alone, and this throws what the fit would throw.
ExpectedFit expected_fit(const FitPlan& request, const SharedFit& shared, const Schema& schema,
                         std::size_t units);

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
