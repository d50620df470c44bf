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
    result.share += norm > length ? 1 / static_cast<double>(records) : 0;
    mean += std::min(1.0, length / norm) / static_cast<double>(records) * e;
  }
  result.kept = mean.dot(truth) / truth.squaredNorm();
  return result;
}

// Fresh gradients and changes over a distance of D = 0.02, estimated by values with m directions.
inline void clipping_bias(const Flags& flags) {
  constexpr std::size_t parameters = 10, records = 4000;
  constexpr double alpha = 0.2, distance = 0.02, l = 1;
  const Amplitudes loss(records, parameters, 5);
  const RecordLoss record = record_loss(loss);
  const Vector z = Amplitudes::start(parameters);
  const Vector before = z - distance * Vector::Unit(z.size(), 0);
  const auto with = [&](nonconvex::Estimate kind, std::size_t directions, bool change, double length,
                        const Vector& truth) {
    const nonconvex::BallEstimator estimator(record, kind, alpha, l, directions, 3);
    return clipped(
        [&](std::size_t i, std::span<double> out) {
          change ? estimator.change(z, before, i, i, out) : estimator.gradient(z, i, i, out);
        },
        records, truth, length);
  };
  // The truth: unclipped means by gradients at many points.
  Vector gradient = Vector::Zero(z.size()), change = gradient, e(z.size());
  const nonconvex::BallEstimator many(record, nonconvex::Estimate::gradients, alpha, l, 300, 7);
  for (std::size_t i = 0; i < records; ++i) {
    many.gradient(z, i, i, {e.data(), parameters});
    gradient += e / static_cast<double>(records);
    many.change(z, before, i, i, {e.data(), parameters});
    change += e / static_cast<double>(records);
  }
  const double kappa = l * nonconvex::gradient_change(parameters, distance, alpha);
  std::string table =
      "| directions | gradients too long | kept of their mean | changes too long | kept of their mean "
      "|\n|---|---|---|---|---|\n";
  for (const std::size_t m : {1u, 2u, 5u, 10u, 20u, 50u, 200u}) {
    const Clipped fresh = with(nonconvex::Estimate::values, m, false, l, gradient);
    const Clipped moved = with(nonconvex::Estimate::values, m, true, kappa, change);
    table += fmt::format("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", m, fresh.share, fresh.kept,
                         moved.share, moved.kept);
  }
  write(flags, "clipping_bias", table, nullptr);
}

}  // namespace nonconvex_runs
