#pragma once

// The family that the theorems' rates are about. They bound the worst excess risk over all distributions, and
// a smooth loss with one distribution falls faster. Here the loss is a hinge over a ball of radius 0.9, so
// linear: F(w) = 1 − signal·w_1/5 for rows of norm 1 in five dimensions and labels +1 with probability (1 +
// signal·a_1)/2. What is reported is the worst over signals: too weak a one costs little where it is missed,
// a strong one is found.

#include "synthetic.hpp"

namespace experiment {

constexpr double ball = 0.9;

inline Dataset draw_linear(const Size& size, double signal, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  std::uniform_real_distribution<> uniform;
  Dataset data;
  DenseRows rows{size.users * size.records, dimension, {}};
  for (std::size_t i = 0; i < rows.rows; ++i) {
    Vector a = Vector::NullaryExpr(dimension, [&] { return normal(random); });
    a /= a.norm();
    rows.values.insert(rows.values.end(), a.begin(), a.end());
    data.labels.push_back(uniform(random) < (1 + signal * a[0]) / 2 ? 1 : -1);
    data.users.push_back(static_cast<std::uint32_t>(i / size.records));
  }
  data.user_count = size.users;
  data.target_kind = TargetKind::numeric;
  data.features = Features(std::move(rows));
  return data;
}

inline Cell worst_over_signals(const Contestant& who, const Size& size) {
  Cell worst;
  for (const double signal : {0.02, 0.05, 0.12, 0.3, 0.75}) {
    std::vector<double> excess;
    for (int k = 0; k < repeats; ++k) try {
        const Dataset data = draw_linear(size, signal, static_cast<unsigned>(100 + k));
        const Problem problem{.data = &data, .loss = Link{LinkKind::hinge, 0}, .intercept = 0};
        const Outcome outcome = who.fit(problem, size);
        excess.push_back(signal * (ball - outcome.w[0]) / static_cast<double>(dimension));
        worst.gradients = outcome.gradients;
      } catch (const InfeasibleError&) {
        worst.refused = true;
        return worst;
      }
    if (const Spread spread = spread_of(excess); spread.mean > worst.excess.mean) worst.excess = spread;
  }
  return worst;
}

inline void rates(const Paths& paths) {
  std::vector<Line> lines;
  for (const Contestant& who : contestants())
    if (who.link.kind == LinkKind::logistic)
      lines.push_back(
          {who.name, who.theory, [who](const Size& size) { return worst_over_signals(who, size); }});
  measure_axes(paths, "rates", "user_level_rates_", lines,
               {.radius = ball, .smoothing = 0.05, .smoothness = 0.1});
}

}  // namespace experiment
