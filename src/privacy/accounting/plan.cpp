#include "privacy/accounting/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "privacy/accounting/fourier.hpp"

namespace tacit::inline v1::pld {

namespace {

// 36 bits of mantissa: index·step is then a double without rounding for the indices of most laws. (Where it
// is not, the rounding is in the bounds.)
double short_mantissa(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 36)), exponent - 36);
}

// The part with atoms at its ends that repeats most: the grid is fitted to it, so that its atoms lie on grid
// points. A law without an end has no such atoms.
const Part* most_repeated_with_atoms(std::span<const Part> parts) {
  const Part* best = nullptr;
  for (const Part& part : parts) {
    const double end = part.law->greatest;
    if (!part.law->atoms.empty() && end > 0 && std::isfinite(end) &&
        (best == nullptr || part.count > best->count))
      best = &part;
  }
  return best;
}

// Chords add about h²/6 to the variance of one step's loss, so ln E e^{λL} grows by λ(λ+1)h²/12 a step, and
// epsilon by (λ+1)h²/12; tangents lower it by half of that: together they are steps·(λ+1)h²/8 apart.
double step_for(std::span<const Part> parts, const Part* fitted, const Aim& aim, double tolerance) {
  double count = 0;
  for (const Part& part : parts)
    if (part.law->continuous || &part != fitted) count += part.count;
  const double lambda = aim.slope, deviation = std::sqrt(cumulants(parts, aim.lambda).variance);
  const double epsilon = std::fmax(aim.epsilon, 0.05 * deviation);
  const double rough = fitted != nullptr ? fitted->law->greatest : deviation;
  const double fine = count > 0 ? std::sqrt(8 * tolerance * epsilon / (count * (1 + lambda))) : rough;
  return std::fmin(fine, count > 0 ? 0.5 / (1 + lambda) : rough);
}

// Of the tilted composition without the largest losses, as many as come up ten times in all.
double bulk_deviation(std::span<const Part> parts, double lambda) {
  double variance = 0;
  for (const Part& part : parts) {
    const double log_moment = cumulants(std::span(&part, 1), lambda).log_moment / part.count;
    double rare = 10 / part.count, mass = 0, first = 0, second = 0;
    for (auto at = part.sketch.rbegin(); at != part.sketch.rend(); ++at) {
      const SketchPoint& p = *at;
      const double tilted = std::exp(p.log_mass + lambda * p.loss - log_moment);
      rare -= tilted;
      if (rare > 0) continue;
      mass += tilted;
      first += tilted * p.loss;
      second += tilted * p.loss * p.loss;
    }
    if (mass > 0) variance += part.count * std::fmax(second - first * first / mass, 0.0);
  }
  return std::sqrt(variance);
}

}  // namespace

void truncate(Part& part, double log_delta) {
  const double log_negligible = log_delta - std::log(5e3 * part.count);
  double lost = 0;
  while (part.sketch.size() > 8) {
    lost += std::exp(part.sketch.back().log_mass - log_negligible);
    if (lost > 1) break;
    part.sketch.pop_back();
  }
}

Plan make_plan(std::span<const Part> parts, const Aim& aim, double tolerance, std::size_t points) {
  const Part* fitted = most_repeated_with_atoms(parts);
  const Window& w = aim.window;
  const double least_step = w.width / static_cast<double>(points - 16);
  const double wanted = step_for(parts, fitted, aim, tolerance);
  double step = std::fmax(wanted, least_step);
  // Atoms that no grid can resolve beside the others are not fitted to.
  if (fitted != nullptr && fitted->law->greatest >= least_step) {
    const double loss = fitted->law->greatest;
    step = loss / std::fmax(std::ceil(loss / step), 1.0);
    if (step < least_step) step = loss / std::fmax(std::floor(loss / least_step), 1.0);
  }
  Plan plan{.step = short_mantissa(step),
            .lambda = aim.lambda,
            .low = w.low,
            .size = 0,
            .lower_tilt = w.lower_tilt,
            .upper_tilt = w.upper_tilt};
  const double needed = std::fmin(w.width / plan.step, static_cast<double>(points)) + 8;
  constexpr std::size_t most_extended = std::size_t{1} << 20;  // beyond, extended precision takes too long
  plan.size = transform_size(std::clamp<std::size_t>(static_cast<std::size_t>(needed), 64, points));
  plan.tolerance = tolerance * (plan.step / wanted) * (plan.step / wanted);
  if (aim.extended && plan.size <= most_extended) plan.precision = Precision::extended;
  return plan;
}

bool few_frequencies(std::span<const Part> parts, const Plan& plan) {
  constexpr double few = 2000;
  constexpr std::size_t least_points = 32768;  // for fewer a transform takes no time
  // ln |spectrum| of a Gaussian at frequency k is −½(2πk·deviation/width)²: it is left out at −100
  const double reach = std::sqrt(200.0) / (2 * std::numbers::pi);
  const double width = plan.step * static_cast<double>(plan.size);
  return plan.size > least_points && reach * width < few * bulk_deviation(parts, plan.lambda);
}

bool nearly_gaussian(std::span<const Part> parts, const Aim& aim) {
  constexpr double gaussian_reach = 8;  // standard deviations; the window of a Gaussian ends before
  const Window& seen = aim.window;
  const Cumulants tilted = cumulants(parts, aim.lambda);
  return seen.low + seen.width < tilted.mean + gaussian_reach * std::sqrt(tilted.variance);
}

Aim narrowed(std::span<const Part> parts, const Aim& aim, double step) {
  double count = 0;
  for (const Part& part : parts) count += part.count;
  // An entry's rounding error: count · 16 u log2(size) · the share of frequencies that matter.
  const double frequencies = std::fmin(0.4 * step / std::sqrt(cumulants(parts, 0).variance), 1.0);
  const double error = count * 3e-14 * frequencies;
  constexpr double finer = 0x1p-11, slower = 6;  // extended precision
  constexpr double tolerable = 3e-4;             // of delta
  const auto rounding = [&](const Aim& a) { return error / (step * a.lambda) * std::exp(-a.log_signal); };
  Aim best = aim;
  best.extended = rounding(aim) > tolerable;
  if (nearly_gaussian(parts, aim)) return best;
  double least = aim.window.width * (best.extended ? slower : 1);
  for (const double factor : {0.9, 0.8, 0.7, 0.6, 0.5}) {
    Aim lighter = aim_with(parts, factor * aim.lambda, aim.epsilon, aim.log_delta);
    lighter.slope = aim.slope;
    lighter.extended = rounding(lighter) > tolerable;
    if (rounding(lighter) * finer > tolerable) break;
    const double cost = lighter.window.width * (lighter.extended ? slower : 1);
    if (cost < least) {
      least = cost;
      best = lighter;
    }
  }
  return best;
}

namespace {

// The loss of the bin around the fullest node, relative to the node. With it as offset that bin lies on its
// node, which matters where the step is wider than the peak of the law. A bin needs a node on either side: a
// law that lies within one cell of the grid, or beyond the last index, has none.
double peak_offset(const LossLaw& law, const Grid& grid) {
  if (grid.nodes.size() < 3) return 0;
  const auto bin = [&](std::size_t j, double offset) {
    const double at = grid.loss(j) + offset;
    return law.mass(law.position(at - grid.width(j - 1) / 2), law.position(at + grid.width(j) / 2));
  };
  std::size_t fullest = 1;
  for (std::size_t j = 2; j + 1 < grid.nodes.size(); ++j)
    if (bin(j, 0).p.high > bin(fullest, 0).p.high) fullest = j;
  double offset = 0;
  for (int round = 0; round < 20; ++round) {
    const CellMass mass = bin(fullest, offset);
    const double next = std::log(mass.p.low / mass.q.high) - grid.loss(fullest);
    if (!(std::fabs(next) < grid.step)) return 0;
    offset = next;
  }
  return offset;
}

}  // namespace

Grid make_grid(const Part& part, const Plan& plan) {
  const auto& sketch = part.sketch;
  const LossLaw& law = *part.law;
  if (!law.continuous) return {.step = plan.step, .offset = 0, .nodes = {}};
  const double h = plan.step,
               log_moment = cumulants(std::span(&part, 1), plan.lambda).log_moment / part.count;
  const auto tilted = [&](const SketchPoint& p) {
    return std::exp(p.log_mass + plan.lambda * p.loss - log_moment);
  };

  std::size_t begin = 0;
  const std::size_t end = sketch.size() - 1;
  for (double lost = 0; begin < end; ++begin) {
    lost += tilted(sketch[begin]);
    if (lost * part.count > 1e-12) break;
  }
  begin -= begin > 0;
  // One sketch point further at either end.
  const double low = 2 * sketch[begin].loss - sketch[begin + 1].loss;
  const double high = 2 * sketch[end].loss - sketch[end - 1].loss;
  const auto index = [](double x) {
    return static_cast<std::int64_t>(std::clamp(x, -index_limit, index_limit));
  };
  std::int64_t node = index(std::floor(std::fmax(low, law.least) / h) - 1);
  const std::int64_t last = index(std::ceil(std::fmin(high, law.greatest) / h) + 1);

  // Cells of width w cost Σ p w²: for tilted density f the fewest cells at a given cost have w ∝ f^{−1/3}.
  const auto density = [&](const SketchPoint& p) { return tilted(p) / std::fmax(p.spread, 1e-300); };
  double cost = 0;
  for (std::size_t i = begin; i <= end; ++i)
    if (sketch[i].spread > 0 && density(sketch[i]) > 0)
      cost += tilted(sketch[i]) / std::pow(density(sketch[i]), 2.0 / 3);
  const double unit = 0.5 * h / std::sqrt(cost);
  // Where one single large loss makes delta, its cell's width counts once, not once a step.
  const double widest = 0.35 * h * std::sqrt(part.count);
  constexpr std::int64_t most_nodes = 200000;  // bounds time and memory where a plan is hopelessly fine
  const std::int64_t narrowest = std::max<std::int64_t>((last - node) / most_nodes, 1);
  Grid grid{.step = h, .offset = 0, .nodes = {node}};
  for (std::size_t i = begin; node < last;) {
    while (i < end && sketch[i].loss < h * static_cast<double>(node)) ++i;
    const double f = density(sketch[i]);
    double width = std::fmin(0.2 * sketch[i].spread, widest);
    if (f > 0) width = std::fmin(width, unit / std::cbrt(f));
    node += std::max(static_cast<std::int64_t>(width / h), narrowest);
    grid.nodes.push_back(node);
  }
  if (law.atoms.empty()) grid.offset = peak_offset(law, grid);
  return grid;
}

}  // namespace tacit::inline v1::pld
