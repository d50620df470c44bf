#pragma once

#include "solver/limited_objective.hpp"
#include "tacit/core.hpp"
#include "tacit/problem.hpp"

// Sums over records that the spread of a minimiser follows from [docs/intervals.md].

namespace tacit::inline v1 {

// Lower triangles of symmetric matrices, row by row, entries off the diagonal times √2: the ℓ2 norm of one is
// the Frobenius norm of the other.
TACIT_API std::size_t triangle_size(std::size_t features);
TACIT_API Matrix from_triangle(const double* triangle, std::size_t features);

// Two triangles one after the other, Σ vvᵀ and weight·Σ uuᵀ: record i has v = √(φ''/Q)·a and u = (φ'/C)·a at
// w, where C = limits.gradient_norm(). ‖v‖ and ‖u‖ are at most 1, whatever the record holds, so that it adds
// a vector of norm ≤ √(1 + weight²). For losses with one output, and rows in any storage. What a record adds
// is bitwise a function of the record and w.
TACIT_API Vector record_moments(const Problem& problem, const LossLimits& limits, double label_bound,
                                const Vector& w, double weight, unsigned threads);

// How far the machine's sum over at most `records` is from the real one with norms of at most 1, in ℓ2.
TACIT_API double record_moments_rounding(std::size_t records, std::size_t features, double weight);

}  // namespace tacit::inline v1
