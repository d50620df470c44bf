#pragma once

// Every schedule of [Das23] on made data whose guesses are true, against its own bound.

#include <random>

#include "clipping_theory.hpp"

namespace clipping_runs {

// Records with a direction or a point in the plane and a Lipschitz constant, Pareto of index 4.5 and least 1:
// E G⁴ = 9.
struct HeavyRecord {
  double x = 0, y = 0, lipschitz = 1;
};

inline std::vector<HeavyRecord> heavy_records(std::size_t n, bool heavy, double radius,
                                              std::mt19937_64& random) {
  std::uniform_real_distribution<> uniform;
  std::vector<HeavyRecord> made(n);
  for (HeavyRecord& r : made) {
    const double angle = 2 * std::numbers::pi * uniform(random), length = radius * std::sqrt(uniform(random));
    r = {length * std::cos(angle), length * std::sin(angle),
         heavy ? std::pow(1 - uniform(random), -1 / 4.5) : 1};
  }
  return made;
}

// G·ρ of what a record sees of w, with |ρ'| ≤ 1.
enum class LossShape { median, absolute, logarithm };
struct PlaneLoss {
  const std::vector<HeavyRecord>* data;
  LossShape shape;
  double target = 1;  // the optimum's first coordinate; its second is 0

  std::size_t records() const { return data->size(); }
  std::size_t parameters() const { return 2; }
  double evaluate(const Vector& w, std::size_t i, std::span<double> g) const {
    const HeavyRecord& r = (*data)[i];
    if (shape == LossShape::median) {  // G·‖w − x‖, x around (target, 0)
      const double a = w[0] - target - r.x, b = w[1] - r.y, distance = std::hypot(a, b);
      const double scale = distance > 0 ? r.lipschitz / distance : 0;
      g[0] = scale * a, g[1] = scale * b;
      return r.lipschitz * distance;
    }
    const double length = std::hypot(r.x, r.y), a = r.x / length, b = r.y / length;
    const double u = a * (w[0] - target) + b * w[1];
    const double slope = shape == LossShape::absolute ? (u > 0 ? 1.0 : -1.0) : 2 * u / (1 + u * u);
    g[0] = r.lipschitz * slope * a, g[1] = r.lipschitz * slope * b;
    return r.lipschitz * (shape == LossShape::absolute ? std::fabs(u) : std::log1p(u * u));
  }
  void gradient(const Vector& w, std::size_t i, std::span<double> g) const { evaluate(w, i, g); }

  struct Mean {
    double loss = 0;
    Vector gradient = Vector::Zero(2);
  };
  Mean mean(const Vector& w) const {
    Mean total;
    std::array<double, 2> g{};
    const double n = static_cast<double>(data->size());
    for (std::size_t i = 0; i < data->size(); ++i) {
      total.loss += evaluate(w, i, g) / n;
      total.gradient += Vector{{g[0] / n, g[1] / n}};
    }
    return total;
  }
};

// The least loss of a convex one, by gradient steps that shrink.
inline double least_loss(const PlaneLoss& loss) {
  Vector w{{loss.target, 0}};
  double least = loss.mean(w).loss;
  for (int t = 0; t < 400; ++t) {
    w -= 0.2 / (1 + 0.2 * t) * loss.mean(w).gradient;
    least = std::min(least, loss.mean(w).loss);
  }
  return least;
}

struct ScheduleCase {
  clipping::Theorem theorem;
  LossShape shape;
  bool heavy = true;
};

inline clipping::Options schedule_options(const ScheduleCase& of) {
  clipping::Options options;
  options.target = Approx{1, 1e-5};
  options.batch = 16;
  options.threads = 1;
  options.schedule = of.theorem;
  options.iterate = clipping::Iterate::random;
  options.moment_order = 4;
  options.moment = of.heavy ? std::pow(9.0, 0.25) : 1;
  options.distance = 1.25;    // the optimum is within 1/4 of (1, 0)
  options.growth_radius = 2;  // four times that of the points
  options.smoothness = 2.8;   // ρ'' ≤ 2, the mean of G is 9/7
  options.initial_gap = 1;    // f(0) ≤ 9/7·ln 2
  if (of.theorem == clipping::Theorem::constrained) options.radius = 2;
  return options;
}

// What the theorem bounds, of a random iterate: its mean over up to 200 of them, evenly spread.
inline double measured_by(const ScheduleCase& of, std::size_t n, std::mt19937_64& random) {
  const auto data = heavy_records(n, of.heavy, of.shape == LossShape::median ? 0.5 : 1, random);
  const PlaneLoss loss{&data, of.shape};
  const bool convex = of.theorem != clipping::Theorem::nonconvex;
  const double least = of.shape == LossShape::median ? least_loss(loss) : 0;
  const clipping::Options options = schedule_options(of);
  const std::uint64_t every = std::max<std::uint64_t>(1, clipping::plan_dp_sgd(n, 2, options).steps / 200);
  double total = 0, count = 0;
  const auto look = [&](std::uint64_t step, const Vector& w) {
    if (step % every != every / 2) return;
    const PlaneLoss::Mean here = loss.mean(w);
    total += convex ? here.loss - least : here.gradient.squaredNorm(), ++count;
  };
  look(0, Vector::Zero(2));  // w₀ is one of them
  RootMeter meter({options.target, Unit::item, options.neighbours}, system_bits());
  dp_sgd(loss, Vector::Zero(2), options, meter, look);
  return total / count;
}

// Each theorem's risk against its bound, and both as powers of φ.
inline void schedules(const Flags& flags) {
  constexpr int draws = 10;
  using enum clipping::Theorem;
  std::mt19937_64 random(1);
  std::string table =
      "| schedule | records | steps | φ | clip norm | measured, ten draws | largest | bound | holds |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  Plot plot{.title = "Schedules: measured against their bounds",
            .x_label = "φ",
            .y_label = "excess risk (squared gradient for nonconvex)",
            .log_x = true,
            .log_y = true};
  std::vector<Series> dashed;
  for (const ScheduleCase& of :
       {ScheduleCase{interpolation, LossShape::absolute, false}, ScheduleCase{constrained, LossShape::median},
        ScheduleCase{unconstrained, LossShape::median}, ScheduleCase{growth, LossShape::median},
        ScheduleCase{nonconvex, LossShape::logarithm}}) {
    Series measured{.name = fmt::format("{}, measured", name(of.theorem))};
    Series bounds{.name = fmt::format("{}, bound", name(of.theorem)), .dashed = true};
    std::vector<double> errors;
    for (const std::size_t n : {500U, 1000U, 2000U, 4000U}) {
      const clipping::Options options = with_schedule(n, 2, schedule_options(of));
      const clipping::Plan plan = clipping::plan_dp_sgd(n, 2, options);
      const double phi =
          clipping::noise_cost(2, *options.noise_multiplier, plan.batch, static_cast<double>(plan.steps));
      std::vector<double> risks;
      for (int r = 0; r < draws; ++r) risks.push_back(measured_by(of, n, random));
      const Spread risk = spread(risks);
      const double largest = *std::ranges::max_element(risks);
      errors.push_back(risk.deviation / std::sqrt(draws));
      table += fmt::format("| {} | {} | {} | {:.4f} | {:.2f} | {:.4f} ± {:.1g} | {:.4f} | {:.3g} | {} |\n",
                           name(of.theorem), n, plan.steps, phi, plan.clip.norm, risk.mean, errors.back(),
                           largest, *plan.risk_bound, largest <= *plan.risk_bound ? "yes" : "NO");
      measured.x.push_back(phi), measured.y.push_back(risk.mean), measured.spread.push_back(risk.deviation);
      bounds.x.push_back(phi), bounds.y.push_back(*plan.risk_bound);
    }
    const Slope exponent = slope(measured.x, measured.y, errors);
    table += fmt::format("| {} | exponent of φ | | | | {:.2f} ± {:.2f} | | {:.2f} | |\n", name(of.theorem),
                         exponent.value, exponent.error, slope(bounds.x, bounds.y).value);
    plot.series.push_back(measured);
    dashed.push_back(bounds);
  }
  plot.series.insert(plot.series.end(), dashed.begin(), dashed.end());
  write(flags, "clipping_schedules", table, &plot);
}

}  // namespace clipping_runs
