#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "core/interval.hpp"
#include "noise/lazy_uniform.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

// Random decisions with exactly the stated probability: a uniform is compared with a number by drawing as
// many of its binary digits, and computing as many of the number's, as the comparison needs.

namespace tacit::inline v1::noise {

// A real number that can be enclosed as tightly as asked: called with growing precisions (in bits), it
// returns intervals that contain the same number and shrink to it.
using RealNumber = std::function<Interval(long precision)>;

// U < p. Draws more of U as needed; what was drawn stays, so that U can be compared again.
TACIT_API bool is_less(LazyUniform& uniform, const RealNumber& p, BitSource& bits);

// True with probability p, a double in [0, 1].
TACIT_API bool bernoulli(double p, BitSource& bits);

// True with probability min(1, e^(−x)): the accept step of a rejection or Metropolis sampler. A double x may
// be infinite; NaN throws UsageError.
TACIT_API bool bernoulli_exp(double x, BitSource& bits);
TACIT_API bool bernoulli_exp(const RealNumber& x, BitSource& bits);

// Each whole number below `bound` ≥ 1 with the same probability.
TACIT_API std::size_t draw_below(std::size_t bound, BitSource& bits);

// Index i with probability proportional to exp(log_weights[i]), exactly: each i gets a standard exponential
// time E divided by its weight, and the first wins (the Gumbel maximum of log_weights − ln E, in other
// words). −∞ is a weight of zero. Throws UsageError on NaN, +∞, or when no weight is positive.
TACIT_API std::size_t exponential_race(std::span<const double> log_weights, BitSource& bits);

}  // namespace tacit::inline v1::noise
