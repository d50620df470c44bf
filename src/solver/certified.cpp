#include "solver/certified.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/symmetric.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::size_t most_dense_parameters = 1024;  // beyond, and for softmax: conjugate gradients

double length_up(const Vector& x) {
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

// A step length t < 1 with −½|slope at 0| ≤ slope(t) ≤ 0, by bisection: the slope along the line is
// continuous and rises through this window. The objective decreases up to there, by convexity.
double line_search(LimitedObjective& objective, const Vector& direction, double slope_at_zero) {
  objective.prepare_line(direction);
  double low = 0, high = 1;
  for (int k = 0; k < 80; ++k) {
    const double t = 0.5 * (low + high), slope = objective.line_slope(t);
    if (slope <= 0 && slope >= 0.5 * slope_at_zero) return t;
    (slope < 0 ? low : high) = t;
  }
  return low;
}

struct Cap {
  const LimitedObjective& objective;
  double relative_stop;  // absolute residual to stop at; 0: use the certified cap

  // The residual that may be left at w: as much as rounding may hide.
  double residual(const Vector& w) const {
    if (relative_stop > 0) return relative_stop;
    return objective.gradient_error().at(length_up(w - objective.regulariser().center));
  }
};

// Newton's method on the limited objective; true when the residual is below the cap. A full step is taken
// when the objective surely decreases (it still falls at the step's end), or when the gradient is half of the
// least so far, which can happen only so often; else a line search. So it cannot cycle.
bool newton(LimitedObjective& objective, const SolverOptions& options, const Cap& cap, Vector& w, Vector& g,
            int& steps) {
  const bool dense = objective.shape().outputs == 1 && objective.parameters() <= most_dense_parameters;
  Matrix hessian;
  Matrix* const wanted = dense ? &hessian : nullptr;
  objective.gradient(w, g, wanted);
  double least_norm = g.norm();
  for (steps = 0; steps < options.newton_steps; ++steps) {
    if (length_up(g) <= cap.residual(w)) return true;
    const double accuracy = std::min(0.1, 0.1 * g.norm() / static_cast<double>(objective.shape().records));
    const Vector direction = dense ? Vector(-cholesky_solve(hessian, g))
                                   : conjugate_gradients(objective, g, std::max(1e-6, accuracy));
    const double slope = direction.dot(g);
    if (!(slope < 0)) return false;

    const Vector start = w;
    w = start + direction;
    objective.gradient(w, g, wanted);
    const bool falls = direction.dot(g) <= 0;
    if (!(falls || g.norm() <= 0.5 * least_norm)) {
      objective.gradient(start, g, nullptr);
      w = start + line_search(objective, direction, slope) * direction;
      objective.gradient(w, g, wanted);
    }
    if (!g.allFinite()) return false;
    least_norm = std::min(least_norm, g.norm());
  }
  return length_up(g) <= cap.residual(w);
}

// Newton's method creeps where kinks are narrow beside the distance to go. Then the kinks are rounded off and
// sharpened again in stages, each starting from the last one's minimiser.
bool newton_in_stages(LimitedObjective& objective, const SolverOptions& options, const Cap& cap, Vector& w,
                      Vector& g, int& steps) {
  constexpr int first_try = 40, stage_steps = 30, stages = 24;
  if (std::holds_alternative<Softmax>(objective.shape().loss))
    return newton(objective, options, cap, w, g, steps);
  SolverOptions some = options;
  some.newton_steps = std::min(options.newton_steps, first_try);
  if (newton(objective, some, cap, w, g, steps)) return true;
  if (options.newton_steps <= first_try) return false;
  int total = steps;
  w = objective.regulariser().center;
  some.newton_steps = stage_steps;
  for (int stage = stages; stage > 0; --stage) {
    objective.soften(std::pow(0.25, stage));
    objective.gradient(w, g, nullptr);
    newton(objective, some, {objective, 1e-6 * g.norm()}, w, g, steps);
    if (!g.allFinite()) w = objective.regulariser().center;
    total += steps;
  }
  objective.soften(1);
  const bool reached = newton(objective, options, cap, w, g, steps);
  steps += total;
  return reached;
}

// Gradient descent with step 1/L contracts the distance to the minimiser by √(1 − strength/L) ≤ 1 −
// strength/2L a step and adds error/L and the rounding of the step, so it tends to at most 2·error/strength +
// 4u·‖w‖L/strength whatever the data: below the cap, because error ≥ 2u·‖w‖·L.
Certified descend(LimitedObjective& objective, Vector w, Vector g) {
  const double strength = objective.regulariser().strength, smoothness = objective.smoothness();
  const Vector& center = objective.regulariser().center;
  double distance = std::numeric_limits<double>::infinity();
  const double rate = add_up(1.0, -div_down(strength, mul_up(2.0, smoothness)));
  for (;;) {
    // Away from the minimiser the tilt's own rounding counts too (see gradient_error()).
    const double error =
        add_up(objective.gradient_error().at(length_up(w - center)), 8 * unit_roundoff * length_up(g));
    const double cap = solver_distance(objective.gradient_error(), strength).at(length_up(w - center));
    const double residual_bound = div_up(add_up(length_up(g), error), strength);
    distance = std::min(distance, residual_bound);
    if (distance <= cap) return {std::move(w), distance, 0, true};
    w -= g / smoothness;
    objective.gradient(w, g, nullptr);
    const double rounding = add_up(div_up(error, smoothness), 2 * unit_roundoff * length_up(w));
    distance = add_up(mul_up(rate, distance), rounding);
  }
}

// A start for Newton's method from an eighth of the records: it costs an eighth, and saves most of the steps.
void start_from_few(LimitedObjective& objective, Vector& w) {
  constexpr std::size_t stride = 8, least_records = 8192;
  if (objective.shape().records < least_records) return;
  Vector g;
  int steps = 0;
  objective.thin(stride);
  objective.gradient(w, g, nullptr);
  newton(objective, {.newton_steps = 20}, {objective, 1e-3 * g.norm()}, w, g, steps);
  objective.thin(1);
  if (!w.allFinite()) w = objective.regulariser().center;
}

}  // namespace

GradientError solver_distance(const GradientError& error, double strength) {
  // ‖w − w*‖ ≤ (‖computed residual‖ + error)/strength, and Newton's method brings the residual below the
  // error: factor 2. Gradient descent needs up to 4 (see descend()). 1 % is for rounding in the bound itself.
  const double factor = div_up(4.04, strength);
  return {mul_up(factor, error.constant), mul_up(factor, error.per_distance)};
}

Certified minimise(LimitedObjective& objective, const SolverOptions& options) {
  Vector w = objective.regulariser().center, g;
  int steps = 0;
  if (options.relative_tolerance > 0) {
    objective.gradient(w, g, nullptr);
    newton_in_stages(objective, options, {objective, options.relative_tolerance * g.norm()}, w, g, steps);
    return {std::move(w), 0, steps};
  }
  const Cap cap{objective, 0};
  if (options.newton_steps > 0) start_from_few(objective, w);
  if (!newton_in_stages(objective, options, cap, w, g, steps)) {
    if (!g.allFinite()) {
      w = objective.regulariser().center;
      objective.gradient(w, g, nullptr);
    }
    return descend(objective, std::move(w), std::move(g));
  }
  const double distance = div_up(add_up(length_up(g), cap.residual(w)), objective.regulariser().strength);
  return {std::move(w), distance, steps};
}

}  // namespace tacit::inline v1
