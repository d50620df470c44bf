#pragma once

#include <span>

#include "core/interval.hpp"
#include "loss/softmax.hpp"
#include "sampler/piece.hpp"

// A softmax record as the sampler needs it: φ(z) = ω·(log Σ exp((Vz)_k) − (Vz)_label), a real function of its
// K−1 scores with double parameters ω and V [docs/posterior_exact.md, "Softmax"]. In its Piece `weight` is ω
// and `offset` the label.

namespace tacit::inline v1::sampler {

Piece softmax_piece(const LossLimits& limits, double norm, double label);

// φ(z) − φ(0), and a bound on its rounding error at the same doubles z.
Rise softmax_rise(const SoftmaxLoss& softmax, const Piece& piece, std::span<const double> z);
Interval softmax_rise(const SoftmaxLoss& softmax, const Piece& piece, std::span<const Interval> z);

// The pairs of classes (k, l), k < l, in their order.
inline std::size_t class_pairs(std::size_t classes) { return classes * (classes - 1) / 2; }

// ω·p_k·p_l from below for each pair, at every point whose scores are within `score_error` of z (in l2).
void pair_curvatures(const SoftmaxLoss& softmax, const Piece& piece, std::span<const double> z,
                     double score_error, std::span<double> curvatures);

}  // namespace tacit::inline v1::sampler
