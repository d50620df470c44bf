#pragma once

#include <algorithm>

#include "algorithm/nonconvex/o2nc.hpp"
#include "common.hpp"
#include "made_stream.hpp"
#include "stored_runs.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace nonconvex_runs {

constexpr double period_smoothing = 0.1;  // α

// Values, each record once, at the sizes that make the theorem's bound least.
inline nonconvex::Options by_theorem(noise::PrefixKind kind) {
  nonconvex::Options options;
  options.target = Approx{1, 1e-6};
  options.schedule = nonconvex::Schedule::theorem;
  options.bound = nonconvex::Bound::frame;
  options.output = nonconvex::Output::random;
  options.prefix = kind;
  options.smoothing = period_smoothing;
  options.threads = 1;
  return options;
}

struct PeriodVariant {
  const char* name;
  noise::PrefixKind kind;
  bool alone;  // period 1
};
constexpr PeriodVariant period_variants[] = {
    {"period 1", noise::PrefixKind::square_root, true},
    {"best period > 1, tree", noise::PrefixKind::tree, false},
    {"best period > 1, square root", noise::PrefixKind::square_root, false}};

// With the period that makes the bound least: 1, or the best of the longer ones.
inline nonconvex::Options with_period(const PeriodVariant& variant, std::size_t n, std::size_t d,
                                      std::int64_t longest) {
  nonconvex::Options options = by_theorem(variant.kind), best = options;
  options.period = best.period = 1;
  double least = INFINITY;
  for (std::int64_t period = 2; !variant.alone && period <= longest; period *= 2) {
    options.period = period;
    try {
      const double bound = nonconvex::plan_o2nc(n, d, options).bound->total();
      if (bound < least) least = bound, best.period = period;
    } catch (const InfeasibleError&) {
    }
  }
  return best;
}

// The mean over all blocks of a run of Goldstein's norm at their means: what the theorem bounds in
// expectation, as a random block is returned.
inline double mean_norm_of_blocks(const MadeStream& loss, const nonconvex::Options& options) {
  const nonconvex::Sizes sizes = nonconvex::plan_o2nc(loss.count, loss.dimension, options).sizes;
  Vector sum = Vector::Zero(static_cast<Eigen::Index>(loss.dimension));
  double total = 0;
  const auto see = [&](std::size_t t, const Vector& z) {
    sum += z;
    if (t % sizes.averaging != 0) return;
    total += loss.goldstein_norm(sum / static_cast<double>(sizes.averaging), 2 * sizes.smoothing);
    sum.setZero();
  };
  const auto bits = noise::system_bits();
  RootMeter meter({options.target, Unit::item, Neighbours::replace_one}, *bits);
  minimise(record_loss(loss), loss.start(), options, meter, see);
  return total / static_cast<double>(sizes.steps / sizes.averaging);
}

// One run has no deviation.
inline std::string shown_norm(const std::vector<double>& seen) {
  if (seen.empty()) return "not run";
  const Mean mean = mean_of(seen);
  return seen.size() == 1 ? fmt::format("{:.4f}, one run", mean.mean)
                          : fmt::format("{:.4f} ± {:.1g}", mean.mean, mean.deviation);
}

struct PeriodRow {
  std::string cells;
  double bound = 0;
  Mean measured;
};
inline PeriodRow measure(const PeriodVariant& variant, std::size_t n, std::size_t d, int draws,
                         std::int64_t longest, StoredRuns& stored) {
  const nonconvex::Options options = with_period(variant, n, d, longest);
  const nonconvex::Plan plan = nonconvex::plan_o2nc(n, d, options);
  PeriodRow row{.bound = plan.bound->total()};
  const std::string key = fmt::format("{},{},{},T{},M{},period {}", n, d, variant.name, plan.sizes.steps,
                                      plan.sizes.averaging, plan.sizes.period);
  const std::vector<double> seen = stored.draws(key, draws, [&](int draw) {
    return mean_norm_of_blocks({n, d, static_cast<std::uint64_t>(draw)}, options);
  });
  row.measured = seen.empty() ? Mean{NAN, NAN} : mean_of(seen);
  row.cells = fmt::format(" {} | {} | {} | {:.3f} | {} |", plan.sizes.period, plan.sizes.averaging,
                          plan.sizes.steps, row.bound, shown_norm(seen));
  return row;
}

// What the plan takes of itself.
inline std::size_t planned_period(noise::PrefixKind kind, std::size_t n, std::size_t d) {
  return nonconvex::plan_o2nc(n, d, by_theorem(kind)).sizes.period;
}

// A table and a figure over pairs (n, d), told apart by one of the two.
struct SweepPoint {
  std::size_t n = 0, d = 0;
  int draws = 10;
};
struct Sweep {
  std::string name, title, x_label;
  std::vector<SweepPoint> points;
  bool over_records = true;
};
inline void sweep_periods(const Flags& flags, const Sweep& sweep) {
  StoredRuns stored(flags.out / ("nonconvex_" + sweep.name + ".csv"), flags.runs);
  Plot plot{.title = sweep.title,
            .x_label = sweep.x_label,
            .y_label = "Goldstein norm",
            .log_x = true,
            .log_y = true};
  std::string table = fmt::format(
      "| {} | oracle | period | M | steps | bound | measured | the plan takes "
      "|\n|---|---|---|---|---|---|---|"
      "---|\n",
      sweep.x_label);
  std::vector<Series> measured(3), bounds(3);
  for (const auto& [n, d, draws] : sweep.points) {
    std::size_t which = 0;
    for (const PeriodVariant& variant : period_variants) {
      const PeriodRow row = measure(variant, n, d, draws, flags.longest, stored);
      const std::string taken =
          variant.alone ? "" : fmt::format("period {}", planned_period(variant.kind, n, d));
      const std::string line =
          fmt::format("| {} | {} |{} {} |\n", sweep.over_records ? n : d, variant.name, row.cells, taken);
      table += line;
      fmt::print("{}", line);
      std::fflush(stdout);
      const double x = static_cast<double>(sweep.over_records ? n : d);
      measured[which].name = variant.name;
      bounds[which].name = std::string("bound, ") + variant.name;
      bounds[which].dashed = true;
      measured[which].x.push_back(x), bounds[which].x.push_back(x);
      measured[which].y.push_back(row.measured.mean), bounds[which].y.push_back(row.bound);
      measured[which].spread.push_back(row.measured.deviation);
      ++which;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) plot.series.push_back(std::move(measured[k]));
  for (std::size_t k = 0; k < 3; ++k) plot.series.push_back(std::move(bounds[k]));
  write(flags, sweep.name, table, &plot);
}

// Error against records for period 1 and for the best longer period, and where they cross.
inline void periods(const Flags& flags) {
  Sweep sweep{.name = "periods",
              .title = "Period 1 and longer ones, (1, 1e-6)-private, 2 parameters",
              .x_label = "records",
              .points = {}};
  for (const std::size_t n : {10000u, 30000u, 100000u, 300000u, 1000000u, 3000000u, 10000000u})
    sweep.points.push_back({n, 2});
  // At 10⁷ ten draws deviate by less than a thousandth of their mean: two tell as much, in a fifth of the
  // time.
  for (const std::size_t n : {30000000u, 100000000u}) sweep.points.push_back({n, 2, 2});
  sweep_periods(flags, sweep);
}

inline void dimensions(const Flags& flags) {
  Sweep sweep{.name = "dimensions",
              .title = "Error against parameters, (1, 1e-6)-private, 300 000 records",
              .x_label = "parameters",
              .points = {},
              .over_records = false};
  for (const std::size_t d : {1u, 2u, 4u, 8u, 16u, 32u}) sweep.points.push_back({300000, d});
  // Draws deviate by less than a hundredth of their mean up to here, and take eight times as long as at 32.
  sweep.points.push_back({300000, 64, 3});
  sweep_periods(flags, sweep);
}

}  // namespace nonconvex_runs
