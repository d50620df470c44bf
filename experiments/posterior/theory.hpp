#pragma once

#include "common.hpp"

namespace experiment {

// Table 1 of [Lin24]: excess empirical risk, up to constants, of n records with G-Lipschitz losses whose sum
// is αn-strongly convex.
struct Rates {
  double d, G, alpha, n;
  double pure(double epsilon) const { return d * d * G * G / (alpha * n * epsilon * epsilon); }
  double gaussian(double mu) const { return d * G * G / (alpha * n * mu * mu); }
  double noisy_sgd(double epsilon, double delta) const {
    return d * G * G * std::log(1 / delta) / (alpha * n * epsilon * epsilon);
  }
};

// Figure 2 of the paper: d = 11, G = 300, α = 4, ε = 1, n = 1e4 and 1e6.
inline void theory(const Paths& paths) {
  Plot panels[2];
  for (const int side : {0, 1}) {
    const Rates rates{11, 300, 4, side == 0 ? 1e4 : 1e6};
    Series pure{.name = "pure: d²G²/(αnε²)"}, approx{.name = "(ε,δ): dG²ln(1/δ)/(αnε²)"},
        gaussian{.name = "μ = 1: dG²/(αnμ²)", .dashed = true};
    for (double delta = 1e-2; delta > 1e-21; delta /= 10) {
      pure.x.push_back(delta);
      pure.y.push_back(rates.pure(1));
      approx.x.push_back(delta);
      approx.y.push_back(rates.noisy_sgd(1, delta));
      gaussian.x.push_back(delta);
      gaussian.y.push_back(rates.gaussian(1));
    }
    Plot& plot = panels[side];
    plot = {.title = fmt::format("Rates of Table 1, n = {:g}", rates.n),
            .x_label = "delta",
            .y_label = "excess empirical risk",
            .log_x = true,
            .log_y = true};
    plot.series = {pure, approx, gaussian};
  }
  publish(paths, "theory", panels[0], panels[1]);
}

}  // namespace experiment
