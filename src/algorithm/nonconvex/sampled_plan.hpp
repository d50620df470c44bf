#pragma once

#include "algorithm/nonconvex/plan.hpp"

namespace tacit::inline v1::nonconvex {

// The sums of a run over Poisson batches, and the names and events of the steps that pay for them.
void plan_sampled(Plan& plan, const RunShape& run, const Options& options);

}  // namespace tacit::inline v1::nonconvex
