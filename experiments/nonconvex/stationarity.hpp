#pragma once

#include <random>

#include "algorithm/nonconvex/o2nc.hpp"
#include "common.hpp"
#include "experiments/support/goldstein.hpp"
#include "stored_runs.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace nonconvex_runs {

// ||⟨a,w⟩| − b| with unit rows, phase retrieval from amplitudes: 1-Lipschitz, neither smooth nor convex. The
// truth has norm 1; one label in ten is nonsense.
struct Amplitudes {
  Matrix rows;
  Vector labels;

  Amplitudes(std::size_t records, std::size_t parameters, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<> normal;
    const auto d = static_cast<Eigen::Index>(parameters), n = static_cast<Eigen::Index>(records);
    rows = Matrix::NullaryExpr(n, d, [&] { return normal(random); });
    rows.rowwise().normalize();
    labels = (rows * Vector::Constant(d, 1 / std::sqrt(static_cast<double>(d)))).cwiseAbs();
    for (Eigen::Index i = 0; i < n; ++i)
      labels[i] += random() % 10 == 0 ? normal(random) : 0.05 * normal(random);
  }
  // Twice as long as the truth and at an angle of 60 degrees to it.
  static Vector start(std::size_t parameters) {
    Vector w(static_cast<Eigen::Index>(parameters));
    for (Eigen::Index k = 0; k < w.size(); ++k) w[k] = k % 2 == 0 ? 1 + std::sqrt(3.0) : 1 - std::sqrt(3.0);
    return w / std::sqrt(static_cast<double>(parameters));
  }

  std::size_t records() const { return static_cast<std::size_t>(rows.rows()); }
  std::size_t parameters() const { return static_cast<std::size_t>(rows.cols()); }
  double score(const Vector& w, std::size_t i) const { return rows.row(static_cast<Eigen::Index>(i)).dot(w); }
  static double side(double score, double label) {
    return (std::fabs(score) > label ? 1 : -1) * (score > 0 ? 1 : -1);
  }
  double value(const Vector& w, std::size_t i) const {
    return std::fabs(std::fabs(score(w, i)) - labels[static_cast<Eigen::Index>(i)]);
  }
  void gradient(const Vector& w, std::size_t i, std::span<double> g) const {
    const auto row = static_cast<Eigen::Index>(i);
    const double pull = side(score(w, i), labels[row]);
    for (std::size_t k = 0; k < g.size(); ++k) g[k] = pull * rows(row, static_cast<Eigen::Index>(k));
  }
  // Of the mean loss.
  void gradient(const Vector& w, Vector& g) const {
    Vector pull = rows * w;
    for (Eigen::Index i = 0; i < pull.size(); ++i) pull[i] = side(pull[i], labels[i]);
    g = rows.transpose() * pull / static_cast<double>(rows.rows());
  }
};

struct Variant {
  std::string name;
  nonconvex::Pass pass;
  nonconvex::Estimate estimate;
  noise::PrefixKind prefix;
  nonconvex::Bound bound;
};

inline std::vector<Variant> variants() {
  using enum nonconvex::Pass;
  using enum nonconvex::Estimate;
  using enum noise::PrefixKind;
  using enum nonconvex::Bound;
  return {{"Zhang et al., one pass", single, values, tree, worst},
          {"one pass, tree", single, values, tree, smoothed},
          {"one pass, square root", single, values, square_root, smoothed},
          {"one pass, gradients", single, gradients, square_root, smoothed},
          {"all records, every step", multi, values, square_root, smoothed}};
}

constexpr std::size_t amplitude_parameters = 10;
constexpr double amplitude_radius = 0.4;  // 2α

inline nonconvex::Options options_of(const Variant& variant, std::int64_t steps) {
  nonconvex::Options options;
  options.target = Approx{1, 1e-6};
  options.pass = variant.pass;
  options.estimate = variant.estimate;
  options.prefix = variant.prefix;
  options.bound = variant.bound;
  options.smoothing = amplitude_radius / 2;
  options.radius = 1;
  options.steps = steps;
  options.directions = variant.estimate == nonconvex::Estimate::gradients ? 4 : amplitude_parameters;
  return options;
}

// At what a run on these records returns, by other records in the population's stead.
inline double stationarity_of(const Amplitudes& records, const nonconvex::Options& options,
                              const Amplitudes& population) {
  const audit::GradientField field = [&](const Vector& y, Vector& g) { population.gradient(y, g); };
  const auto bits = noise::system_bits();
  RootMeter meter({options.target, Unit::item, Neighbours::replace_one}, *bits);
  const Vector w =
      minimise(record_loss(records), Amplitudes::start(amplitude_parameters), options, meter).value();
  return audit::goldstein_norm(field, w, amplitude_radius, {.samples = 120}).upper_bound;
}

// The better number of steps by runs on other records, judged by a population of their own.
inline std::int64_t chosen_steps(const Variant& variant, std::size_t n, const Amplitudes& validation) {
  if (variant.pass == nonconvex::Pass::multi) return 32;  // time
  std::int64_t best = 0;
  double least = INFINITY;
  for (const std::int64_t steps : {32, 96}) {
    double sum = 0;
    for (unsigned k = 0; k < 4; ++k)
      sum += stationarity_of({n, amplitude_parameters, 500 + k}, options_of(variant, steps), validation);
    if (sum < least) least = sum, best = steps;
  }
  return best;
}

// The Goldstein norm of the population's loss, by fresh records, at what the variant returns.
inline void stationarity(const Flags& flags) {
  constexpr int draws = 10;
  const Amplitudes validation(10000, amplitude_parameters, 998), test(10000, amplitude_parameters, 999);
  StoredRuns stored(flags.out / "nonconvex_stationarity.csv");
  const std::vector<std::size_t> sizes = {250, 500, 1000, 2000, 4000, 8000, 16000};
  Plot plot{.title = "Stationarity against records, (1, 1e-6)-private, 10 parameters",
            .x_label = "records",
            .y_label = "Goldstein norm of the population's loss",
            .log_x = true};
  std::string table = "| variant |", rule = "\n|---|";
  for (const std::size_t n : sizes) table += fmt::format(" {} |", n), rule += "---|";
  table += rule + "\n";
  for (const Variant& variant : variants()) {
    Series series{.name = variant.name};
    table += "| " + variant.name + " |";
    for (const std::size_t n : sizes) {
      std::int64_t steps = 0;
      const std::vector<double> seen =
          stored.draws(fmt::format("{},{}", variant.name, n), draws, [&](int draw) {
            if (steps == 0) steps = chosen_steps(variant, n, validation);
            return stationarity_of({n, amplitude_parameters, static_cast<unsigned>(draw)},
                                   options_of(variant, steps), test);
          });
      series.x.push_back(static_cast<double>(n));
      series.y.push_back(mean_of(seen).mean);
      series.spread.push_back(mean_of(seen).deviation);
      table += fmt::format(" {} |", shown(seen, 3));
    }
    table += "\n";
    fmt::print("{}", table.substr(table.rfind('\n', table.size() - 2) + 1));
    std::fflush(stdout);
    plot.series.push_back(std::move(series));
  }
  write(flags, "stationarity", table, &plot);
}

}  // namespace nonconvex_runs
