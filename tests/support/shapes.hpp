#pragma once

#include <cstddef>

#include "tacit/problem.hpp"

namespace tacit::testing {

// A linear model with an intercept, logistic unless said otherwise.
inline Shape linear_shape(std::size_t records, std::size_t features,
                          const LossSpec& loss = Link{LinkKind::logistic, 0}) {
  const auto* softmax = std::get_if<Softmax>(&loss);
  return {.records = records,
          .features = features,
          .outputs = softmax ? softmax->classes - 1 : 1,
          .loss = loss,
          .intercept = 1};
}

}  // namespace tacit::testing
