#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "tacit/core.hpp"
#include "tacit/loss.hpp"
#include "tacit/problem.hpp"

// Sums of clipped per-sample gradients over a batch, without ever holding one of them: the gradient of a
// layer is residual ⊗ input, so its norm is the product of two norms, and clipping scales the residual.

namespace tacit::inline v1 {

// How much one record may contribute: the vector length·g/max(τ, ‖g‖), g its gradient. Its norm is at most
// `length` in real arithmetic, whatever the record holds. A clip norm τ in units of the gradients is the same
// for every record. The other way, τ = threshold·‖g‖/‖r‖ with r the gradient in the model's outputs: all
// records weigh the same, however long their rows are, until they are nearly fitted (‖r‖ < threshold). With a
// loss of one's own there is no r, and τ = threshold.
struct Clip {
  double length = 1;     // 2^−200 … 2^100
  double norm = 0;       // τ, 0 … 2^100
  double threshold = 0;  // 0 … 2^100; at most one of the two is not 0
  bool limited = true;   // false: length·g, only where no privacy is promised
};

// Where a clip norm is not stated: of the √2 that softmax's residuals reach, or the 1 of logistic and hinge
// [heuristic: utility only].
inline constexpr double auto_threshold = 0.2;

// The machine's sum over at most `records` of those contributions, in so many shards, is within this of the
// real one, in l2.
TACIT_API double clipped_sum_rounding(std::size_t records, double length, std::size_t shards = 1);

// Writes the sum over a batch. What a member contributes is bitwise a function of its record, w and public
// shapes, and the sum does not depend on the number of threads.
using BatchSums = std::function<void(const Vector& w, std::span<const std::uint32_t> batch, Vector& sum)>;

// For linear models, softmax and two-layer networks. Memory beyond the data: a norm for each record in
// memory, and O(parameters + block·outputs) for each thread. The problem must outlive it.
TACIT_API BatchSums clipped_sums(const Problem& problem, const Clip& clip, unsigned threads);

// The same with explicit gradients: `gradient` is that of a Loss. `weighed` has the records' weights, if they
// have any, and must outlive it.
using RecordGradient = std::function<void(const Vector& w, std::size_t record, std::span<double> gradient)>;
TACIT_API BatchSums clipped_sums(RecordGradient gradient, std::size_t parameters, const Clip& clip,
                                 unsigned threads, const Dataset* weighed = nullptr);

// A custom loss, which must outlive it.
template <Loss L>
BatchSums clipped_sums(const L& loss, const Clip& clip, unsigned threads) {
  return clipped_sums(
      RecordGradient([&loss](const Vector& w, std::size_t record, std::span<double> gradient) {
        loss.gradient(w, record, gradient);
      }),
      loss.parameters(), clip, threads);
}

}  // namespace tacit::inline v1
