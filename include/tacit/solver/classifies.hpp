#pragma once

#include "tacit/solver/problem.hpp"

namespace tacit::inline v1 {

// Whether the labels of this loss are classes.
TACIT_API bool classifies(const LinearLoss& loss);

}  // namespace tacit::inline v1
