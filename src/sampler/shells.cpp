#include "sampler/shells.hpp"

#include <algorithm>
#include <cmath>

#include "core/numbers.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

namespace {

// [heuristic: speed and acceptance only] Steps of the integration, and radii that may be edges.
constexpr std::size_t steps = 2048, edges = 32;

// ψ at the edges, from below: ψ'' decreases, so its value at the end of a step is a lower bound over the
// step.
std::vector<double> psi_at_edges(const EnvelopeConstants& c, double most) {
  const double h = most / static_cast<double>(steps);
  std::vector<double> values{0};
  double slope = 0, value = 0;
  for (std::size_t k = 1; k <= steps; ++k) {
    const double bend = bend_below(c, h * static_cast<double>(k));
    value += h * slope + 0.5 * h * h * bend;
    slope += h * bend;
    // Fewer than 8·steps roundings of positive terms, each ≤ 1 relative ulp; the exponentials' own are among
    // them. 2^−36 is more than γ of that.
    if (k % (steps / edges) == 0) values.push_back(value * (1 - 0x1p-36));
  }
  return values;
}

// Between squared radii s₀ < s₁ ψ(√s), concave in s, lies above its chord; beyond the last edge above its
// value.
Shell make_shell(const EnvelopeConstants& c, double s0, double s1, double psi0, double psi1) {
  Shell shell{.inner = s0, .outer = s1};
  // slope = b/2, rounded down. The chord at s₀ is ψ₀ − slope·s₀ at s = 0; a smaller slope lies below it for
  // s ≥ s₀ when it passes through (s₀, ψ₀).
  const double slope = std::isinf(s1) ? 0 : std::fmax(0.0, div_down(sub_down(psi1, psi0), sub_up(s1, s0)));
  shell.floor = sub_down(add_down(c.constant, psi0), mul_up(slope, s0));
  shell.deviation.resize(c.b.size());
  for (Eigen::Index k = 0; k < c.b.size(); ++k) {
    const double quadratic = add_down(sub_down(c.quadratic, c.b[k]), mul_down(2 * slope, c.b[k]));
    shell.deviation[k] = quadratic > 0 ? div_up(1.0, sqrt_down(quadratic)) : infinity;
  }
  return shell;
}

// ln(e^{−floor}·∏deviation) of the shell that make_shell would make, near enough to choose by.
double mass(const EnvelopeConstants& c, double s0, double s1, double psi0, double psi1) {
  const double slope = std::isinf(s1) ? 0 : (psi1 - psi0) / (s1 - s0);
  double logs = 0, product = 1;
  for (const double b : c.b) {
    product *= c.quadratic - b + 2 * slope * b;
    if (product < 1e-200) {
      logs += std::log(product);
      product = 1;
    }
  }
  return -0.5 * (logs + std::log(product)) - c.constant - psi0 + slope * s0;
}

double log_add(double a, double b) { return std::fmax(a, b) + std::log1p(std::exp(-std::fabs(a - b))); }

}  // namespace

// Where the terms cancel, their roundings are all that is left. An exponent y has at most four, and e^{−y}
// moves by 4u·y·e^{−y} ≤ 1.5u; its exponential is within an ulp, which below 1 is at most u; k²r², where it
// is below 1 (else the maximum is not this term), is within 3u; the two differences are u/2 each: 6.5u in
// all. 2^−49 is 16u. More than 2u was found (Shells.TheBendIsFromBelowAndItsRoundingIsReal).
double bend_below(const EnvelopeConstants& c, double r) {
  const double first = std::exp(-c.beta * r);
  const double second = std::exp(-c.sigma * r - 0.25 * c.beta * c.beta * r * r);
  return std::max({0.0, first - c.kink * c.kink * r * r - bend_rounding,
                   second - c.tilted_kink * c.tilted_kink * r * r - bend_rounding});
}

Shells make_shells(const EnvelopeConstants& c) {
  const double d = static_cast<double>(c.b.size());
  double tail = 0;
  for (const double b : c.b) tail -= std::log(std::fmax(c.quadratic - b, 1e-300));
  const double most = 3 * (std::sqrt(d) + 3 + std::sqrt(std::fmax(0.0, tail)));
  const std::vector<double> psi = psi_at_edges(c, most);
  std::vector<double> s(psi.size());
  for (std::size_t k = 0; k < s.size(); ++k)
    s[k] = std::pow(most * (static_cast<double>(k) / static_cast<double>(edges)), 2);
  // psi belongs to h·k, s to the rounded square of most·k/edges: a few ulps apart.
  for (std::size_t k = 1; k < s.size(); ++k) s[k] *= 1 + 0x1p-48;

  // Shortest path: cost[k] = the least log-mass of shells that cover [0, s_k).
  std::vector<double> cost(s.size(), infinity);
  std::vector<std::size_t> from(s.size(), 0);
  cost[0] = -infinity;
  const auto join = [](double a, double b) { return std::isinf(a) ? b : log_add(a, b); };
  for (std::size_t k = 1; k < s.size(); ++k)
    for (std::size_t j = 0; j < k; ++j) {
      const double total = join(cost[j], mass(c, s[j], s[k], psi[j], psi[k]));
      if (total < cost[k]) {
        cost[k] = total;
        from[k] = j;
      }
    }
  Shells best{.log_mass = infinity};
  std::size_t last = 0;
  for (std::size_t k = 0; k < s.size(); ++k) {
    const double total = join(cost[k], mass(c, s[k], infinity, psi[k], psi[k]));
    if (total < best.log_mass) {
      best.log_mass = total;
      last = k;
    }
  }
  best.shells.push_back(make_shell(c, s[last], infinity, psi[last], psi[last]));
  for (std::size_t k = last; k != 0; k = from[k])
    best.shells.push_back(make_shell(c, s[from[k]], s[k], psi[from[k]], psi[k]));
  return best;
}

}  // namespace tacit::inline v1::sampler
