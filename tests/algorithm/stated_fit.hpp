#pragma once

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/intervals/intervals.hpp"

// What tests of intervals start from.

namespace tacit::testing {

// A fit that limits rows of norm 1 and labels of size 1, as its certificate would state it.
inline intervals::Fit stated_fit(const Shape& shape, Neighbours neighbours) {
  heavy_tails::ObjectiveOptions options;
  options.common.neighbours = neighbours;
  if (neighbours == Neighbours::add_remove) options.common.records = static_cast<std::int64_t>(shape.records);
  options.common.row_norm_bound = 1;
  options.common.label_bound = 1;
  const heavy_tails::ObjectivePlan plan = heavy_tails::plan_limited_objective(shape, options);
  return {.method = "limited-objective",
          .options = heavy_tails::certified_options(plan, options),
          .assumed_public = shape_facts(shape),
          .steps = {plan.perturbation, plan.cover},
          .neighbours = neighbours};
}

}  // namespace tacit::testing
