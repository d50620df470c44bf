#pragma once

#include "tacit/service.hpp"

namespace tacit::inline v1::service {

// What the fit went by to tell whose record it is; empty: nothing, or a file beside the records.
std::string fitted_user_column(const FittedModel& model);

// As read_for_evaluation, but says nothing of the records: for those that are private.
Dataset read_to_judge(const FittedModel& model, ReadOptions reading);

}  // namespace tacit::inline v1::service
