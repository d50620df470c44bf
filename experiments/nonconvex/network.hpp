#pragma once

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/nonconvex/o2nc.hpp"
#include "common.hpp"
#include "stored_runs.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace nonconvex_runs {

struct Housing {
  Dataset train, test;
};

// California Housing, in public units: columns and target are moved to about [−1, 1] by constants that anyone
// can write down without the file. Every fifth row is held out.
inline Housing read_housing(const std::filesystem::path& data) {
  std::ifstream in(data / "california_housing" / "cal_housing.data");
  Housing result;
  DenseRows rows[2] = {{0, 8, {}}, {0, 8, {}}};
  std::string line;
  for (std::size_t i = 0; std::getline(in, line); ++i) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    double v[9];
    for (double& x : v) cells >> x;
    const int held_out = i % 5 == 0;
    DenseRows& part = rows[held_out];
    const auto logarithm = [](double x) { return std::log10(std::max(1.0, x)) - 3; };
    part.values.insert(part.values.end(),
                       {(v[0] + 119) / 5, (v[1] - 36) / 5, (v[2] - 25) / 25, logarithm(v[3]), logarithm(v[4]),
                        logarithm(v[5]), logarithm(v[6]), (v[7] - 4) / 4});
    ++part.rows;
    (held_out ? result.test : result.train).labels.push_back(v[8] / 250000 - 1);
  }
  result.train.features = Features(std::move(rows[0]));
  result.test.features = Features(std::move(rows[1]));
  result.train.target_kind = result.test.target_kind = TargetKind::numeric;
  return result;
}

// Every fifth row held out, to judge settings by.
inline Housing without_a_fifth(const Dataset& all) {
  Housing result;
  const std::size_t columns = all.features.columns();
  DenseRows rows[2] = {{0, columns, {}}, {0, columns, {}}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int held_out = i % 5 == 2;
    const RowView row = all.features.row(i);
    rows[held_out].values.insert(rows[held_out].values.end(), row.values, row.values + columns);
    ++rows[held_out].rows;
    (held_out ? result.test : result.train).labels.push_back(all.labels[i]);
  }
  result.train.features = Features(std::move(rows[0]));
  result.test.features = Features(std::move(rows[1]));
  result.train.target_kind = result.test.target_kind = TargetKind::numeric;
  return result;
}

inline double mean_absolute(const Problem& problem, const Vector& w) {
  const RecordLoss loss = record_loss(problem);
  double sum = 0;
  for (std::size_t i = 0; i < loss.records; ++i) sum += loss.value(w, i);
  return sum / static_cast<double>(loss.records);
}

// Of the best constant, the median of the training rows.
inline double error_of_constant(const Housing& data) {
  std::vector<double> sorted = data.train.labels;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  double sum = 0;
  for (const double y : data.test.labels) sum += std::fabs(y - *middle);
  return sum / static_cast<double>(data.test.labels.size());
}

constexpr double network_delta = 1e-6;
using Fit = std::function<Vector()>;

// Poisson batches protect zero_out: (ε/2, δ/(1 + e^{ε/2})) of that is (ε, δ) for one replaced record.
inline Approx under_zero_out(double epsilon) {
  return {epsilon / 2, network_delta / (1 + std::exp(epsilon / 2))};
}

inline std::vector<Fit> o2nc_fits(const Problem& train, nonconvex::Pass pass, nonconvex::Estimate estimate,
                                  double epsilon) {
  const bool single = pass == nonconvex::Pass::single, sampled = pass == nonconvex::Pass::sampled;
  const std::int64_t directions = estimate == nonconvex::Estimate::values ? 81 : single ? 4 : 1;
  std::vector<Fit> fits;
  for (const double lipschitz : {0.5, 1.0})
    for (const std::int64_t steps : single    ? std::vector<std::int64_t>{64, 256}
                                    : sampled ? std::vector<std::int64_t>{256, 1024}
                                              : std::vector<std::int64_t>{256}) {
      nonconvex::Options options;
      options.target = sampled ? under_zero_out(epsilon) : Approx{epsilon, network_delta};
      options.pass = pass;
      options.estimate = estimate;
      options.lipschitz = lipschitz;
      options.steps = steps;
      options.radius = 4;
      options.directions = directions;
      fits.push_back([&train, options, sampled] {
        const auto bits = noise::system_bits();
        RootMeter meter(
            {options.target, Unit::item, sampled ? Neighbours::zero_out : Neighbours::replace_one}, *bits);
        const Vector start = clipping::initial_parameters(shape_of(train), 1);
        return minimise(record_loss(train), start, options, meter).value();
      });
    }
  return fits;
}

inline std::vector<Fit> sgd_fits(const Problem& train, double epsilon) {
  std::vector<Fit> fits;
  for (const double step : {0.1, 0.3})
    for (const double epochs : {5.0, 20.0}) {
      clipping::Options options;
      options.target = under_zero_out(epsilon);
      options.clip_norm = 1;
      options.step_length = step;
      options.batch = 512;
      options.epochs = epochs;
      fits.push_back([&train, options] {
        const auto bits = noise::system_bits();
        RootMeter meter({options.target, Unit::item, options.neighbours}, *bits);
        return clipping::dp_sgd(train, options, meter).parameters.value();
      });
    }
  return fits;
}

// The best setting by one fit of each on other rows than it is judged by: the training rows but for every
// fifth, and that fifth. The test file has no say.
inline std::size_t chosen_setting(const std::vector<Fit>& fits, const Problem& validation) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t k = 0; k < fits.size(); ++k)
    if (const double error = mean_absolute(validation, fits[k]()); error < least) least = error, best = k;
  return best;
}

// A network with one hidden layer of 8 ReLUs and the absolute loss, all at the same (ε, δ) for one replaced
// record.
inline void network(const Flags& flags) {
  using enum nonconvex::Pass;
  using enum nonconvex::Estimate;
  constexpr int draws = 10;
  const Housing data = read_housing(flags.data), apart = without_a_fifth(data.train);
  const LossSpec loss = Network{.hidden = 8, .activation = Activation::relu, .absolute = true};
  const Problem train{.data = &data.train, .loss = loss}, test{.data = &data.test, .loss = loss};
  const Problem fitted{.data = &apart.train, .loss = loss}, validation{.data = &apart.test, .loss = loss};
  StoredRuns stored(flags.out / "nonconvex_network.csv");
  std::string table = "| method | epsilon 1 | epsilon 3 | epsilon 10 |\n|---|---|---|---|\n";
  const auto row = [&](const std::string& name, auto&& fits_at) {
    table += "| " + name + " |";
    for (const double epsilon : {1.0, 3.0, 10.0}) {
      std::optional<std::size_t> setting;
      const std::vector<double> seen = stored.draws(fmt::format("{},{}", name, epsilon), draws, [&](int) {
        if (!setting) setting = chosen_setting(fits_at(fitted, epsilon), validation);
        return mean_absolute(test, fits_at(train, epsilon)[*setting]());
      });
      table += fmt::format(" {} |", shown(seen, 3));
    }
    table += "\n";
    fmt::print("{}", table.substr(table.rfind('\n', table.size() - 2) + 1));
    std::fflush(stdout);
  };
  row("dp-sgd", [&](const Problem& rows, double e) { return sgd_fits(rows, e); });
  row("o2nc-sampled, gradients",
      [&](const Problem& rows, double e) { return o2nc_fits(rows, sampled, gradients, e); });
  row("o2nc-first", [&](const Problem& rows, double e) { return o2nc_fits(rows, single, gradients, e); });
  row("o2nc-multi, gradients",
      [&](const Problem& rows, double e) { return o2nc_fits(rows, multi, gradients, e); });
  row("o2nc-single", [&](const Problem& rows, double e) { return o2nc_fits(rows, single, values, e); });
  table += fmt::format("\nThe best constant: {:.3f}.\n", error_of_constant(data));
  write(flags, "network", table, nullptr);
}

}  // namespace nonconvex_runs
