#include "sampler/softmax_piece.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

namespace {

Vector logits_at(const SoftmaxLoss& softmax, std::span<const double> z) {
  return softmax.basis() * Eigen::Map<const Vector>(z.data(), static_cast<Eigen::Index>(z.size()));
}

double length_of(std::span<const double> z) {
  return Eigen::Map<const Vector>(z.data(), static_cast<Eigen::Index>(z.size())).norm();
}

}  // namespace

Piece softmax_piece(const LossLimits& limits, double norm, double label) {
  if (norm == 0) return {};
  return {.kind = Piece::Kind::softmax,
          .weight = SoftmaxLoss::weight(limits.slope, limits.curvature, norm),
          .offset = label,
          .norm = norm};
}

Rise softmax_rise(const SoftmaxLoss& softmax, const Piece& piece, std::span<const double> z) {
  const Vector logits = logits_at(softmax, z);
  const auto classes = static_cast<double>(logits.size());
  const double largest = logits.maxCoeff();
  const double value = (largest - logits[static_cast<Eigen::Index>(piece.offset)]) +
                       (std::log((logits.array() - largest).exp().sum()) - std::log(classes));
  // A row of V has length ≤ 1, so a logit is within γ_{K+2}‖z‖ ≤ (K+3)u‖z‖, and counts twice. A term of the
  // sum has a relative error of (2 + |its exponent|)u, and xe^{−x} < 1: with the additions (3K+2)u of a sum
  // that is ≥ 1. The two logarithms, the differences and the product: 16u of numbers up to 2‖z‖ + 2 ln K.
  return {piece.weight * value, piece.weight * unit_roundoff * (20 * classes + 64) * (1 + length_of(z))};
}

Interval softmax_rise(const SoftmaxLoss& softmax, const Piece& piece, std::span<const Interval> z) {
  const long bits = z.front().bits();
  const Matrix& basis = softmax.basis();
  std::vector<Interval> logits;
  for (Eigen::Index k = 0; k < basis.rows(); ++k) {
    Interval sum(0, bits);
    for (std::size_t o = 0; o < z.size(); ++o) sum += z[o] * basis(k, static_cast<Eigen::Index>(o));
    logits.push_back(std::move(sum));
  }
  // Relative to one of the largest, so that nothing overflows.
  const Interval largest =
      *std::ranges::max_element(logits, {}, [](const Interval& one) { return one.upper(); });
  Interval sum(0, bits);
  for (const Interval& one : logits) sum += exp(one - largest);
  const Interval from(static_cast<double>(softmax.classes()), bits);
  return (log(sum) - log(from) + (largest - logits[static_cast<std::size_t>(piece.offset)])) * piece.weight;
}

void pair_curvatures(const SoftmaxLoss& softmax, const Piece& piece, std::span<const double> z,
                     double score_error, std::span<double> curvatures) {
  std::vector<double> p(softmax.classes());
  softmax.probabilities(z, p);
  const auto classes = static_cast<double>(softmax.classes());
  // Logits within e of the true ones change p_k·p_l by a factor ≥ e^{−4e} ≥ 1 − 4e.
  const double error = 1.01 * (score_error + gamma_bound(softmax.classes() + 2) * length_of(z));
  // An exponent is at most 750 where the exponential is not 0: p_k is within (1510 + K)u of its value at the
  // computed logits.
  const double down = std::fmax(0.0, 1 - 4 * error) * (1 - (4000 + 8 * classes) * unit_roundoff);
  std::size_t at = 0;
  for (std::size_t k = 0; k < p.size(); ++k)
    for (std::size_t l = k + 1; l < p.size(); ++l, ++at) {
      const double product = p[k] * p[l];
      curvatures[at] =
          product < 1e-250 ? 0 : piece.weight * product * down;  // far above where digits are lost
    }
}

}  // namespace tacit::inline v1::sampler
