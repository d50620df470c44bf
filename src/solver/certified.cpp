#include "tacit/solver/certified.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "tacit/core/rounding.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::size_t most_dense_parameters = 1024;  // beyond, and for softmax: conjugate gradients

double norm_up(const Vector& x) {
  return mul_up(next_up(x.norm()), 1.0 + gamma_bound(static_cast<std::size_t>(x.size()) + 4));
}

// Approximately −(∇²F)⁻¹ g by conjugate gradients, to a residual of `tolerance`·‖g‖.
Vector conjugate_gradients(LimitedObjective& objective, const Vector& g, double tolerance) {
  Vector x = Vector::Zero(g.size()), r = -g, direction = r, product;
  double rr = r.squaredNorm();
  const double stop = tolerance * tolerance * rr;
  const int most = 2 * static_cast<int>(std::min<Eigen::Index>(g.size(), 2500));
  for (int k = 0; k < most && rr > stop; ++k) {
    objective.curvature(direction, product);
    const double along = direction.dot(product);
    if (!(along > 0)) break;
    const double step = rr / along;
    x += step * direction;
    r -= step * product;
    const double next = r.squaredNorm();
    direction = r + (next / rr) * direction;
    rr = next;
  }
  return x;
}

// A step length where the slope along the line has at most half of what it had at 0, by bisection on the
// monotone slope; the objective decreases.
double line_search(LimitedObjective& objective, const Vector& direction, double slope_at_zero) {
  objective.prepare_line(direction);
  double low = 0, high = 1;
  for (int k = 0; k < 60; ++k) {
    const double t = 0.5 * (low + high), slope = objective.line_slope(t);
    if (std::fabs(slope) <= 0.5 * std::fabs(slope_at_zero)) return t;
    (slope < 0 ? low : high) = t;
  }
  return 0.5 * (low + high);
}

struct Cap {
  const LimitedObjective& objective;
  double relative_stop;  // absolute residual to stop at; 0: use the certified cap

  // The residual that may be left at w: as much as rounding may hide.
  double residual(const Vector& w) const {
    if (relative_stop > 0) return relative_stop;
    return objective.gradient_error().at(norm_up(w - objective.regulariser().center));
  }
};

// Newton's method on the limited objective; true when the residual is below the cap.
bool newton(LimitedObjective& objective, const SolverOptions& options, const Cap& cap, Vector& w, Vector& g) {
  const bool dense = objective.shape().outputs == 1 && objective.parameters() <= most_dense_parameters;
  Matrix hessian;
  objective.gradient(w, g, dense ? &hessian : nullptr);
  double last_norm = g.norm();
  for (int step = 0; step < options.newton_steps; ++step) {
    if (options.progress) options.progress("fitting", 1 - 1 / (1 + 0.3 * step));
    if (norm_up(g) <= cap.residual(w)) return true;
    const double accuracy = std::min(0.1, 0.1 * last_norm / static_cast<double>(objective.shape().records));
    const Vector direction = dense ? Vector(-hessian.selfadjointView<Eigen::Lower>().llt().solve(g))
                                   : conjugate_gradients(objective, g, std::max(1e-6, accuracy));
    const double slope = direction.dot(g);
    if (!(slope < 0)) return false;

    // The full step first: its gradient is needed anyway.
    const Vector start = w;
    w = start + direction;
    objective.gradient(w, g, dense ? &hessian : nullptr);
    if (std::fabs(direction.dot(g)) > 0.5 * std::fabs(slope) && g.norm() > 0.5 * last_norm) {
      objective.gradient(start, g, nullptr);
      w = start + line_search(objective, direction, slope) * direction;
      objective.gradient(w, g, dense ? &hessian : nullptr);
    }
    last_norm = g.norm();
  }
  return norm_up(g) <= cap.residual(w);
}

// Gradient descent with step 1/L contracts the distance to the minimiser by √(1 − strength/L) ≤ 1 − strength/2L
// a step and adds error/L and the rounding of the step, so it tends to at most 2·error/strength + 4u·‖w‖L/strength
// whatever the data: below the cap, because error ≥ 2u·‖w‖·L.
Certified descend(LimitedObjective& objective, Vector w, Vector g) {
  const double strength = objective.regulariser().strength, smoothness = objective.smoothness();
  const Vector& center = objective.regulariser().center;
  double distance = div_up(add_up(norm_up(g), objective.gradient_error().at(norm_up(w - center))), strength);
  const double rate = add_up(1.0, -div_down(strength, mul_up(2.0, smoothness)));
  for (;;) {
    // Away from the minimiser the tilt's own rounding counts too (see gradient_error()).
    const double error = add_up(objective.gradient_error().at(norm_up(w - center)), 8 * unit_roundoff * norm_up(g));
    const double cap = solver_distance(objective.gradient_error(), strength).at(norm_up(w - center));
    const double residual_bound = div_up(add_up(norm_up(g), error), strength);
    distance = std::min(distance, residual_bound);
    if (distance <= cap) return {std::move(w), distance};
    w -= g / smoothness;
    objective.gradient(w, g, nullptr);
    const double rounding = add_up(div_up(error, smoothness), 2 * unit_roundoff * norm_up(w));
    distance = add_up(mul_up(rate, distance), rounding);
  }
}

}  // namespace

GradientError solver_distance(const GradientError& error, double strength) {
  // ‖w − w*‖ ≤ (‖computed residual‖ + error)/strength, and Newton's method brings the residual below the error:
  // factor 2. Gradient descent needs up to 4 (see descend()). 1 % is for rounding in the bound itself.
  const double factor = div_up(4.04, strength);
  return {mul_up(factor, error.constant), mul_up(factor, error.per_distance)};
}

Certified minimise(LimitedObjective& objective, const SolverOptions& options) {
  Vector w = objective.regulariser().center, g;
  if (options.relative_tolerance > 0) {
    objective.gradient(w, g, nullptr);
    newton(objective, options, {objective, options.relative_tolerance * g.norm()}, w, g);
    return {std::move(w), 0};
  }
  const Cap cap{objective, 0};
  if (!newton(objective, options, cap, w, g)) return descend(objective, std::move(w), std::move(g));
  const double strength = objective.regulariser().strength;
  const double error = cap.residual(w);
  return {std::move(w), div_up(add_up(norm_up(g), error), strength)};
}

}  // namespace tacit::inline v1
