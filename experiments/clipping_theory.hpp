#pragma once

// Theorems of [Das23] against runs: heavy tails, and the bound on real data.

#include <random>

#include "algorithm/clipping/bound.hpp"
#include "algorithm/clipping/lipschitz.hpp"
#include "clipping_runs.hpp"
#include "experiments/support/lower_bound.hpp"
#include "tacit/root_meter.hpp"

namespace clipping_runs {

// ℓ(w,x) = −⟨w,x⟩ over the unit ball: finding the direction of a heavy-tailed mean.
struct LinearLossOverRows {
  const std::vector<Vector>* rows;
  std::size_t records() const { return rows->size(); }
  std::size_t parameters() const { return static_cast<std::size_t>(rows->front().size()); }
  void gradient(const Vector&, std::size_t record, std::span<double> g) const {
    for (std::size_t j = 0; j < g.size(); ++j) g[j] = -(*rows)[record][static_cast<Eigen::Index>(j)];
  }
};

// The mean excess risk over all iterates: what a random one has in expectation.
inline double measured_risk(const std::vector<Vector>& rows, const clipping::Options& options) {
  Vector mean = Vector::Zero(rows.front().size());
  for (const Vector& x : rows) mean += x / static_cast<double>(rows.size());
  double total = mean.norm(), count = 1;  // w₀ = 0
  RootMeter meter({options.target, Unit::item, options.neighbours}, system_bits());
  dp_sgd(LinearLossOverRows{&rows}, Vector::Zero(mean.size()), options, meter,
         [&](std::uint64_t, const Vector& w) { total += mean.norm() - mean.dot(w), ++count; });
  return total / count;
}

inline std::vector<Vector> hard_rows(std::size_t n, std::size_t d, double k, const Approx& target,
                                     std::mt19937_64& random) {
  const Vector v = clipping::hard_directions(d, 1, random)[0];
  const clipping::HardInstance instance = clipping::hard_instance(n, v, k, target, random);
  std::vector<Vector> rows;
  for (const bool active : instance.active) rows.push_back(active ? instance.magnitude * v : 0 * v);
  return rows;
}

// The slope of ln y against ln x by least squares, and its standard error where those of y are given.
struct Slope {
  double value = 0, error = 0;
};
inline Slope slope(const std::vector<double>& x, const std::vector<double>& y,
                   const std::vector<double>& errors = {}) {
  const double n = static_cast<double>(x.size());
  double middle = 0, square = 0;
  for (const double at : x) middle += std::log(at) / n;
  for (const double at : x) square += (std::log(at) - middle) * (std::log(at) - middle);
  Slope result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = (std::log(x[i]) - middle) / square;
    result.value += weight * std::log(y[i]);
    if (!errors.empty()) result.error = std::hypot(result.error, weight * errors[i] / y[i]);
  }
  return result;
}

// [Das23, Thm I.1 and I.3]: risk ∝ φ^{1−1/k}, and nothing does better.
inline void tails(const Flags& flags) {
  constexpr std::size_t d = 64;
  std::mt19937_64 random(1);
  Plot plot{.title = "Heavy tails: excess risk",
            .x_label = "records × epsilon",
            .y_label = "excess risk",
            .log_x = true,
            .log_y = true};
  std::string table =
      "| k | records (ε = 1) | steps | φ | clip norm | measured risk | Thm I.1 "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const double k : {2.0, 4.0}) {
    Series measured{.name = fmt::format("k = {:g}, measured", k)};
    Series bound{.name = fmt::format("k = {:g}, Thm I.1", k), .dashed = true};
    std::vector<double> costs, errors;
    for (const std::size_t n : {500U, 1000U, 2000U, 4000U, 8000U}) {
      const Approx target{1, 1e-5};
      clipping::Options options;
      options.target = target;
      options.batch = 16;
      options.radius = 1;
      options.threads = 1;
      options.schedule = clipping::Theorem::constrained;
      options.moment_order = k;
      options.moment = std::sqrt(d / 2.0);
      const auto plan = clipping::plan_schedule(
          *options.schedule, {target, n, d, 16},
          {.moment_order = k, .moment = options.moment, .failure = 0.25, .distance = 2});
      std::vector<double> risks;
      for (int r = 0; r < flags.runs; ++r)
        risks.push_back(measured_risk(hard_rows(n, d, k, target, random), options));
      const Spread risk = spread(risks);
      measured.x.push_back(static_cast<double>(n)), measured.y.push_back(risk.mean);
      measured.spread.push_back(risk.deviation);
      bound.x.push_back(static_cast<double>(n)), bound.y.push_back(plan.risk_bound);
      costs.push_back(plan.noise_cost), errors.push_back(risk.deviation / std::sqrt(flags.runs));
      table +=
          fmt::format("| {:g} | {} | {} | {:.4f} | {:.1f} | {:.3f} ± {:.3f} | {:.3f} |\n", k, n, plan.steps,
                      plan.noise_cost, plan.clip_norm, risk.mean, risk.deviation, plan.risk_bound);
    }
    const Slope exponent = slope(costs, measured.y, errors);
    table += fmt::format("| {:g} | exponent of φ | | | | {:.3f} ± {:.3f} | {:.3f} |\n", k, exponent.value,
                         exponent.error, 1 - 1 / k);
    plot.series.push_back(measured);
    plot.series.push_back(bound);
  }
  write(flags, "clipping_tails", table, &plot);
}

// A point with a small loss, to compare with: accelerated gradient descent without privacy.
inline Vector comparator(const Problem& problem, int passes) {
  const double n = static_cast<double>(problem.data->size());
  const auto G = clipping::lipschitz_constants(problem);
  const double norm = *std::max_element(G.begin(), G.end()) / std::sqrt(2);
  std::vector<std::uint32_t> all(problem.data->size());
  std::iota(all.begin(), all.end(), 0U);
  // The Hessian is at most ‖x̃‖²/2 in every direction; on the mean of images it is far less.
  const BatchSums sums = clipped_sums(problem, {.length = 8 / (n * norm * norm), .limited = false}, 1);
  Vector w = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem).parameters())), before = w, sum;
  for (int t = 0; t < passes; ++t) {
    const Vector ahead = w + (t / (t + 3.0)) * (w - before);
    sums(ahead, all, sum);
    before = w;
    w = ahead - sum;
  }
  return w;
}

// [Das23, Thm 5.4/H.1] against runs on real data. The theorem holds with any point u in the place of w*.
struct Comparison {
  Problem problem;
  std::vector<double> G;
  double distance = 0, loss = 0, largest = 0;  // of u, and of G
};

struct BoundedRun {
  double alpha = 0, risk = 0, term_a = 0, bound = 0;
};

inline clipping::Options theorem_options(const Comparison& with, double tau) {
  clipping::Options options;
  options.target = Approx{2, 1e-5};
  options.batch = 500;
  options.schedule = clipping::Theorem::interpolation;
  options.moment = tau;
  options.distance = with.distance;
  const Shape shape = shape_of(with.problem);
  return with_schedule(shape.records, shape.parameters(), options);
}

// One run: means over 20 of its iterates.
inline BoundedRun bounded_run(const Comparison& with, double tau, const clipping::Options& options,
                              const clipping::Plan& plan) {
  const Shape shape = shape_of(with.problem);
  std::vector<double> gaps(shape.records, 0.0);
  double seen = 0;
  run(with.problem, options, [&](std::uint64_t step, const Vector& w) {
    if (step % std::max<std::uint64_t>(1, plan.steps / 20) != 0) return;
    const Judgement here = judge(with.problem, w);
    for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] += here.losses[i];
    ++seen;
  });
  for (double& gap : gaps) gap /= seen;
  const double z = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  const auto steps = static_cast<double>(plan.steps);
  clipping::ConvexRun terms{.distance = with.distance,
                            .step_scale = with.distance,
                            .steps = steps,
                            .noise_cost = clipping::noise_cost(shape.parameters(), z, 500, steps),
                            .largest_lipschitz = with.largest};
  BoundedRun result{.alpha = clipping::progress_ratio(gaps, with.G, tau),
                    .risk = clipping::interpolation_gap(gaps) - with.loss};
  result.term_a = clipping::risk_bound(terms, tau, result.alpha);
  terms.interpolation_gap = with.loss;
  result.bound = clipping::risk_bound(terms, tau, result.alpha);
  return result;
}

inline void bound(const Flags& flags) {
  const Dataset train = images(flags.data / "fashion_mnist", "train", 10000);
  Comparison with{.problem = {.data = &train, .loss = Softmax{10}}};
  with.G = clipping::lipschitz_constants(with.problem);
  const Vector u = comparator(with.problem, 200);
  with.distance = u.norm();
  with.loss = clipping::interpolation_gap(judge(with.problem, u).losses);  // min f_i = 0
  with.largest = *std::ranges::max_element(with.G);
  fmt::print("u: loss {:.4f}, norm {:.2f}; G from {:.2f} to {:.2f}\n", with.loss, with.distance,
             *std::ranges::min_element(with.G), with.largest);

  Plot plot{.title = "Theorem 5.4 on Fashion-MNIST",
            .x_label = "clip norm",
            .y_label = "loss above that of the comparator",
            .log_x = true,
            .log_y = true};
  Series measured{.name = "measured"}, whole{.name = "bound", .dashed = true},
      first{.name = "bound, term A (interpolation)", .dashed = true};
  std::string table =
      "| clip norm | α of the run | measured | term A | term B | bound |\n|---|---|---|---|---|---|\n";
  for (const double part : {0.03, 0.1, 0.3, 0.5, 0.7, 1.0}) {
    const double tau = part * with.largest;
    const clipping::Options options = theorem_options(with, tau);
    const clipping::Plan plan = plan_dp_sgd(shape_of(with.problem), options);
    std::vector<double> alphas, risks, terms_a, bounds;
    for (int r = 0; r < flags.runs; ++r) {
      const BoundedRun one = bounded_run(with, tau, options, plan);
      alphas.push_back(one.alpha), risks.push_back(one.risk);
      terms_a.push_back(one.term_a), bounds.push_back(one.bound);
    }
    const Spread risk = spread(risks), term_a = spread(terms_a), all = spread(bounds);
    for (Series* series : {&measured, &whole, &first}) series->x.push_back(tau);
    measured.y.push_back(risk.mean), whole.y.push_back(all.mean), first.y.push_back(term_a.mean);
    measured.spread.push_back(risk.deviation);
    table += fmt::format("| {:.2f} | {:.3f} | {:.3f} ± {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n", tau,
                         spread(alphas).mean, risk.mean, risk.deviation, term_a.mean, all.mean - term_a.mean,
                         all.mean);
    const double width = all.deviation / all.mean;
    fmt::print(stderr, "clip norm {:.2f} done; the bound varies by {:.2g} of itself\n", tau, width);
  }
  plot.series = {measured, whole, first};
  write(flags, "clipping_bound", table, &plot);
}

}  // namespace clipping_runs
