#pragma once

#include "algorithm/nonconvex/estimator.hpp"
#include "algorithm/nonconvex/smoothing.hpp"
#include "stationarity.hpp"

namespace nonconvex_runs {

// What clipping does to the mean of the estimates, along the gradient that they estimate.
struct Clipped {
  double share = 0;  // of estimates that were too long
  double kept = 0;   // ⟨mean of the clipped, truth⟩/‖truth‖²
};

template <class Estimate>
Clipped clipped(const Estimate& estimate, std::size_t records, const Vector& truth, double length) {
  Clipped result;
  Vector e(truth.size()), mean = Vector::Zero(truth.size());
  for (std::size_t i = 0; i < records; ++i) {
    estimate(i, std::span<double>(e.data(), static_cast<std::size_t>(e.size())));
    const double norm = e.norm();
    result.share += norm > length * (1 + 1e-9) ? 1 / static_cast<double>(records) : 0;
    mean += std::min(1.0, length / norm) / static_cast<double>(records) * e;
  }
  result.kept = mean.dot(truth) / truth.squaredNorm();
  return result;
}

// Fresh gradients and changes over a distance of D = 0.02, estimated by values with m directions; ten draws
// of records and directions.
inline void clipping_bias(const Flags& flags) {
  constexpr std::size_t parameters = 10, records = 4000;
  constexpr double alpha = 0.2, distance = 0.02, l = 1;
  constexpr unsigned draws = 10;
  const Vector z = Amplitudes::start(parameters);
  const Vector before = z - distance * Vector::Unit(z.size(), 0);
  const double kappa = l * nonconvex::gradient_change(parameters, distance, alpha);
  const std::vector<std::size_t> counts = {1, 2, 5, 10, 20, 50, 200};
  struct Columns {
    std::vector<double> long_gradients, kept, long_changes, kept_changes;
  };
  std::vector<Columns> rows(counts.size());
  for (unsigned draw = 1; draw <= draws; ++draw) {
    const Amplitudes loss(records, parameters, draw);
    const RecordLoss record = record_loss(loss);
    // The truth: unclipped means by gradients at many points.
    Vector gradient = Vector::Zero(z.size()), change = gradient, e(z.size());
    const nonconvex::BallEstimator many(record, nonconvex::Estimate::gradients, alpha, l, 300, 7 + draw);
    for (std::size_t i = 0; i < records; ++i) {
      many.gradient(z, i, i, {e.data(), parameters});
      gradient += e / static_cast<double>(records);
      many.change(z, before, i, i, {e.data(), parameters});
      change += e / static_cast<double>(records);
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const nonconvex::BallEstimator few(record, nonconvex::Estimate::values, alpha, l, counts[k], 3 + draw);
      const Clipped fresh = clipped([&](std::size_t i, std::span<double> out) { few.gradient(z, i, i, out); },
                                    records, gradient, l);
      const Clipped moved =
          clipped([&](std::size_t i, std::span<double> out) { few.change(z, before, i, i, out); }, records,
                  change, kappa);
      rows[k].long_gradients.push_back(fresh.share);
      rows[k].kept.push_back(fresh.kept);
      rows[k].long_changes.push_back(moved.share);
      rows[k].kept_changes.push_back(moved.kept);
    }
  }
  std::string table =
      "| directions | gradients too long | kept of their mean | changes too long | kept of their mean "
      "|\n|---|---|---|---|---|\n";
  for (std::size_t k = 0; k < counts.size(); ++k)
    table +=
        fmt::format("| {} | {} | {} | {} | {} |\n", counts[k], shown(rows[k].long_gradients, 3),
                    shown(rows[k].kept, 2), shown(rows[k].long_changes, 3), shown(rows[k].kept_changes, 2));
  write(flags, "clipping_bias", table, nullptr);
}

}  // namespace nonconvex_runs
