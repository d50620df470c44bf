#pragma once

#include "tacit/service.hpp"

namespace tacit::inline v1::service {

// As read_for_evaluation, but says nothing of the records: for those that are private.
Dataset read_to_judge(const FittedModel& model, ReadOptions reading);

}  // namespace tacit::inline v1::service
