#include "loss/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/widest.hpp"
#include "loss/exponentials.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

SoftmaxLoss::SoftmaxLoss(std::size_t classes) {
  if (classes < 2) throw_error<UsageError>("softmax needs at least 2 classes, got {}", classes);
  // Helmert's basis: column k is (1, …, 1, −k, 0, …)/√(k(k+1)) with k ones.
  const auto k_max = static_cast<Eigen::Index>(classes);
  basis_ = Matrix::Zero(k_max, k_max - 1);
  scales_.resize(k_max - 1);
  for (Eigen::Index k = 1; k < k_max; ++k) {
    const double scale = 1 / std::sqrt(static_cast<double>(k * (k + 1)));
    scales_[k - 1] = scale;
    basis_.col(k - 1).head(k).setConstant(scale);
    basis_(k, k - 1) = -static_cast<double>(k) * scale;
  }
}

double SoftmaxLoss::weight(double slope_limit, double curvature_limit, double norm) {
  return weight(slope_limit, curvature_limit, norm, norm);
}

double SoftmaxLoss::weight(double slope_limit, double curvature_limit, double gauge, double norm) {
  // ‖V‖₂ ≤ 1 + 8Ku and ‖V‖₂² likewise; 1e-9 covers K up to 10⁵.
  constexpr double room = 1 - 1e-9;
  const double by_slope = div_down(slope_limit, mul_up(sqrt_up(2.0), gauge));
  const double by_curvature = div_down(2 * curvature_limit, mul_up(norm, norm));
  return mul_down(room, std::fmin(1.0, std::fmin(by_slope, by_curvature)));
}

namespace {
using ConstMap = Eigen::Map<const Vector>;
using Map = Eigen::Map<Vector>;
ConstMap view(std::span<const double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
Map view(std::span<double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
}  // namespace

void SoftmaxLoss::probabilities(std::span<const double> z, std::span<double> p) const {
  Map out = view(p);
  out.noalias() = basis_ * view(z);
  const double largest = out.maxCoeff();
  for (double& logit : p) logit = std::exp(logit - largest);
  out /= out.sum();
}

double SoftmaxLoss::value(std::span<const double> z, std::size_t label) const {
  const Vector logits = basis_ * view(z);
  const double largest = logits.maxCoeff();
  return largest + std::log((logits.array() - largest).exp().sum()) -
         logits[static_cast<Eigen::Index>(label)];
}

void SoftmaxLoss::gradient(std::span<const double> p, std::size_t label, std::span<double> gradient) const {
  Map out = view(gradient);
  out.noalias() = basis_.transpose() * view(p);
  out -= basis_.row(static_cast<Eigen::Index>(label)).transpose();
}

namespace {

// Record by record in the inner loops, so that several are worked on at once; what one of them gives does not
// depend on the others.
TACIT_WIDEST void residuals_of(const Vector& scales, std::span<double> z, std::span<const double> labels,
                               std::span<double> p, std::span<double> totals) {
  const std::size_t last = static_cast<std::size_t>(scales.size()), n = labels.size();
  double *running = totals.data(), *extreme = running + n;
  // (Vz)_k = Σ_{l>k} s_l z_l − k·s_k z_k
  std::fill_n(running, n, 0.0);
  std::fill_n(extreme, n, -std::numeric_limits<double>::infinity());
  for (std::size_t k = last; k > 0; --k) {
    const double scale = scales[static_cast<Eigen::Index>(k - 1)], times = static_cast<double>(k);
    double* logits = p.data() + k * n;
    for (std::size_t i = 0; i < n; ++i) {
      const double part = scale * z[i * last + k - 1];
      logits[i] = running[i] - times * part;
      running[i] += part;
      extreme[i] = logits[i] > extreme[i] ? logits[i] : extreme[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    p[i] = running[i];
    extreme[i] = running[i] > extreme[i] ? running[i] : extreme[i];
  }
  for (std::size_t k = 0; k <= last; ++k)
    for (std::size_t i = 0; i < n; ++i) p[k * n + i] -= extreme[i];
  exponentials(p.first((last + 1) * n));
  std::fill_n(running, n, 0.0);
  for (std::size_t k = 0; k <= last; ++k)
    for (std::size_t i = 0; i < n; ++i) running[i] += p[k * n + i];
  // (Vᵀg)_k = s_k(Σ_{l<k} g_l − k·g_k), g = p − e_label
  double *inverse = extreme, *before = running;
  for (std::size_t i = 0; i < n; ++i) inverse[i] = 1 / running[i];
  std::fill_n(before, n, 0.0);
  for (std::size_t k = 0; k <= last; ++k) {
    const double scale = k > 0 ? scales[static_cast<Eigen::Index>(k - 1)] : 0, times = static_cast<double>(k);
    for (std::size_t i = 0; i < n; ++i) {
      const double g = p[k * n + i] * inverse[i] - (labels[i] == times ? 1.0 : 0.0);
      if (k > 0) z[i * last + k - 1] = scale * (before[i] - times * g);
      before[i] += g;
    }
  }
}

}  // namespace

void SoftmaxLoss::residual(std::span<const double> z, std::size_t label, std::span<double> p,
                           std::span<double> residual) const {
  if (residual.data() != z.data()) std::copy(z.begin(), z.end(), residual.begin());
  const auto number = static_cast<double>(label);
  double totals[2];
  residuals_of(scales_, residual, {&number, 1}, p, totals);
}

void SoftmaxLoss::residuals(std::span<double> z, std::span<const double> labels, std::span<double> p,
                            std::span<double> totals) const {
  residuals_of(scales_, z, labels, p, totals);
}

void SoftmaxLoss::curvature(std::span<const double> p, std::span<const double> direction,
                            std::span<double> result) const {
  const ConstMap prob = view(p);
  const Vector logits = basis_ * view(direction);
  const double mean = prob.dot(logits);
  view(result).noalias() = basis_.transpose() * (prob.array() * (logits.array() - mean)).matrix();
}

double SoftmaxLoss::gradient_rounding() const {
  // exp(l − max) has a relative error of a few u plus u|l − max|, and x·e^{−x} ≤ 1, so ‖δp‖₁ ≤ 2(K+8)u;
  // Vᵀ(p−e) adds gamma_K·√K·√2. With ω‖a‖ ≤ C: at most (8K+64)·√K·u per unit of C.
  const double k = static_cast<double>(classes());
  return mul_up(mul_up(8 * k + 64, sqrt_up(k)), unit_roundoff);
}

double SoftmaxLoss::logit_rounding() const {
  // ‖|V||z|‖₂ ≤ ‖V‖_F‖z‖ ≤ √K‖z‖.
  return mul_up(gamma_bound(classes() + 2), sqrt_up(static_cast<double>(classes())));
}

}  // namespace tacit::inline v1
