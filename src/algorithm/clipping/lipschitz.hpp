#pragma once

#include <vector>

#include "tacit/core.hpp"
#include "tacit/problem.hpp"

// Per-sample Lipschitz constants [Das23, Asm. 4.1]: G(x,y) = sup over all parameters of ‖∇f(w; x, y)‖.

namespace tacit::inline v1::clipping {

// G(x,y)/‖x̃‖, where x̃ is the record with the constant feature: √2 for softmax [Das23, App. D; ‖p − e_y‖ ≤ √2
// with equality in the limit], the steepest slope of a link otherwise. Infinity: gradients have no bound.
TACIT_API double lipschitz_factor(const LossSpec& loss);

// G(xᵢ,yᵢ) of every record, in file order; each is bitwise a function of its record and the loss. They are as
// private as the records. A record whose norm overflows has infinity. UsageError for a loss without a bound.
TACIT_API std::vector<double> lipschitz_constants(const Problem& problem);

}  // namespace tacit::inline v1::clipping
