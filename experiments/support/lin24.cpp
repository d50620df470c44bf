#include "experiments/support/lin24.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/posterior/parts.hpp"

namespace tacit::inline v1::posterior {

// Notation [Lin24]: G, β, α of one loss, κ = β/α, ρ the probability that localisation misses.
Lin24Table2 lin24_table2(const Lin24Problem& problem) {
  const double n = problem.records, d = static_cast<double>(problem.dimension), G = problem.lipschitz;
  const double alpha = problem.strength, kappa = problem.smoothness / alpha, size = size_of(problem.cost);
  Lin24Table2 table;
  table.failure = 1 / (d * kappa);
  const double log_failure = std::log(1 / table.failure), log_d_failure = std::log(d / table.failure);
  if (is_pure(problem.cost)) {
    // B ≥ 8(32dG + dG·ln(d/ρ))/(αnε) solves (2), for an exact minimiser.
    table.ball = 8 * d * G * (32 + log_d_failure) / (alpha * n * size);
    table.inverse_temperature = size / (2 * G * table.ball);
    table.distance = d * G * log_d_failure / (2 * n * n * alpha * size);
  } else {
    table.ball = G * (2 * std::sqrt(2.0) * (std::sqrt(d) + std::sqrt(log_failure)) + 8 * std::sqrt(d)) /
                 (alpha * n * size);
    table.inverse_temperature = size * size * alpha * n / (G * G);
    // The table's root covers too much: with √2 in the denominator alone, Thm 3's rate comes out.
    table.distance = std::sqrt(d) * G / (std::sqrt(2.0) * n * n * alpha * size);
  }
  return table;
}

Lin24Table3 lin24_table3(const Lin24Problem& problem) {
  const double n = problem.records, d = static_cast<double>(problem.dimension), G = problem.lipschitz;
  const double alpha = problem.strength, beta = problem.smoothness, kappa = beta / alpha;
  const double size = size_of(problem.cost), unit = G * G / (alpha * beta * n * n * size * size);
  const bool pure = is_pure(problem.cost);
  const double log_ratio = pure ? d * (kappa * std::log(d * kappa) + std::log(n))
                                : d * kappa + d * std::log(n) + kappa * std::log(kappa);
  Lin24Table3 table;
  // Pure: G²ln(d/ρ)/(αβn²ε²)·min(κ^{−1/2}d^{1/2}(κ ln(dκ) + ln n)^{−1/2}, 1), which is d times the other
  // form.
  const double factor = pure ? d * std::log(d * d * kappa) : 1;
  table.step_size = factor * unit * std::min(1 / std::sqrt(kappa * log_ratio), 1 / d);
  table.steps = log_ratio * std::max(std::pow(kappa, 1.5) * std::sqrt(log_ratio), d * kappa);
  table.restarts = log_ratio;
  return table;
}

}  // namespace tacit::inline v1::posterior
