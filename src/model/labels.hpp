#pragma once

#include "tacit/model.hpp"

namespace tacit::inline v1 {

// DataError unless there is a label for each record, and each is what the model's loss is for: a number, or
// the number of one of the model's classes, which go by these names, in this order.
void require_labels(const FittedModel& model, const Dataset& data);

}  // namespace tacit::inline v1
