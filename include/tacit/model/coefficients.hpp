#pragma once

#include <string>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/core/linalg.hpp"
#include "tacit/model/fitted_model.hpp"

namespace tacit::inline v1 {

// A linear model as people read it: what one unit of a feature adds to an output, in the target's own units.
struct Coefficients {
  std::vector<std::string> outputs;   // softmax: the classes; else one, the target's name or ""
  std::vector<std::string> features;  // the model's names, or "feature 1", …
  Matrix values;                      // features × outputs
  Vector intercepts;                  // one per output: what is predicted when every feature is 0
};

// Of a classifier with two classes: added to the margin for classes[1]; of softmax: to the logits; of
// poisson: to the logarithm of the count; of another regression: to the number that is predicted. UsageError
// for a network, which has none.
TACIT_API Coefficients coefficients(const FittedModel& model);

}  // namespace tacit::inline v1
