#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "algorithm/nonconvex/estimator.hpp"
#include "o2nc_problem.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/root_meter.hpp"

// What tests of o2nc share where a record is there or null [docs/o2nc.md, "Privacy"].

namespace tacit::testing {

// A short run over 40 records with 3 parameters.
inline void make_short(nonconvex::Options& options) {
  options.steps = 8;
  options.period = 4;
  options.averaging = 1;
  options.step_cap = options.smoothing = 0.1;
  options.directions = 3;
}

using MakeOracle = std::function<nonconvex::GradientOracle(const RecordLoss&, Meter&)>;

// The sums that are opened along one path, of as many places as are planned for.
inline std::vector<Vector> opened_sums(const AbsoluteLoss& loss, const Budget& budget, std::size_t steps,
                                       std::uint64_t seed, const MakeOracle& make) {
  const auto bits = seeded_bits(seed);
  RootMeter meter(budget, *bits);
  std::vector<Vector> seen;
  const RecordLoss record = record_loss(loss);
  meter.watch([&](const Step&, std::span<const double> x) {
    seen.push_back(Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size())));
  });
  const nonconvex::GradientOracle oracle = make(record, meter);
  for (std::size_t t = 0; t < steps; ++t)
    oracle(Vector::Constant(3, 0.01 * static_cast<double>((t * 7 + seed) % 5)));
  return seen;
}

// How far each of a short run's sums moves, over what it may, with the last of 40 records there or not.
inline std::vector<double> moves_of_last(const nonconvex::Plan& plan, const Budget& budget,
                                         std::uint64_t seed, const MakeOracle& make) {
  AbsoluteLoss all = regression(40, 3, static_cast<unsigned>(seed));
  all.rows.row(39) *= seed % 2 == 0 ? 50 : 1e200;
  const AbsoluteLoss fewer{all.rows.topRows(39), all.labels.head(39)};
  const auto a = opened_sums(all, budget, plan.sizes.steps, seed, make),
             b = opened_sums(fewer, budget, plan.sizes.steps, seed, make);
  std::vector<double> moves;
  for (std::size_t t = 0; t < a.size(); ++t)
    moves.push_back((a[t] - b[t]).stableNorm() / (t % 4 == 0 ? plan.start : plan.change).sensitivity.total());
  return moves;
}

// Remembers where it was asked.
struct Witness {
  std::size_t records() const { return 1; }
  std::size_t parameters() const { return 3; }
  double value(const Vector&, std::size_t) const { return 0; }
  void gradient(const Vector& w, std::size_t, std::span<double> g) const {
    at = w;
    std::ranges::fill(g, 0.0);
  }
  mutable Vector at;
};

// Pulls up where it is asked with the directions of the slot that its label names, down elsewhere.
struct Distrustful {
  std::vector<Vector> points;  // by slot
  std::vector<std::size_t> labels;

  std::size_t records() const { return labels.size(); }
  std::size_t parameters() const { return 3; }
  double value(const Vector&, std::size_t) const { return 0; }
  void gradient(const Vector& w, std::size_t i, std::span<double> g) const {
    std::ranges::fill(g, 0.0);
    g[0] = w == points[labels[i]] ? 1 : -1;
  }
  Distrustful without_the_first() const {
    return {points, std::vector<std::size_t>(labels.begin() + 1, labels.end())};
  }
};

// Records that know the directions which their places in the file would get from this word.
inline Distrustful who_know(std::uint64_t word, std::size_t records) {
  const Witness witness;
  const RecordLoss spied = record_loss(witness);
  const nonconvex::BallEstimator estimator(spied, nonconvex::Estimate::gradients, 0.1, 1, 1, word);
  Distrustful all;
  Vector unused(3);
  for (std::size_t slot = 0; slot < records; ++slot) {
    estimator.gradient(Vector::Zero(3), 0, slot, {unused.data(), 3});
    all.points.push_back(witness.at);
    all.labels.push_back(slot);
  }
  return all;
}

// The first coordinate of the first sum.
inline double first_sum(const Distrustful& loss, const Budget& budget, const MakeOracle& make) {
  const auto bits = seeded_bits(4);
  RootMeter meter(budget, *bits);
  const RecordLoss record = record_loss(loss);
  double seen = 0;
  meter.watch([&](const Step&, std::span<const double> x) { seen = x[0]; });
  make(record, meter)(Vector::Zero(3));
  return seen;
}

}  // namespace tacit::testing
