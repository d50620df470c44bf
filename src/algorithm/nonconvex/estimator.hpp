#pragma once

#include <cstdint>
#include <span>

#include "tacit/core.hpp"
#include "tacit/custom_loss.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::nonconvex {

// Estimates of one record's smoothed gradient ∇f_α, before clipping: (4) and (17) of [Kornowski24], with
// every difference of values clipped to 2αL and every gradient to L.
//
// The directions are a fixed function of `key` and `slot`. Drawn without a look at the data, they may be
// known to anyone: given all of them, what one record contributes is a function of that record and z
// [docs/o2nc.md, "Directions"].
class TACIT_API BallEstimator {
 public:
  // `loss` must outlive it and have what `estimate` asks for; throws UsageError if it does not.
  BallEstimator(const RecordLoss& loss, Estimate estimate, double smoothing, double lipschitz,
                std::size_t directions, std::uint64_t key);

  // ∇f_α(z) of the record. Thread-safe.
  void gradient(const Vector& z, std::size_t record, std::uint64_t slot, std::span<double> out) const;
  // ∇f_α(z) − ∇f_α(before), by the same directions at both points: far less variance than independent ones.
  void change(const Vector& z, const Vector& before, std::size_t record, std::uint64_t slot,
              std::span<double> out) const;

 private:
  void estimate(std::span<const Vector* const> points, std::size_t record, std::uint64_t slot,
                std::span<double> out) const;
  void estimate_by_values(std::span<const Vector* const> points, std::size_t record, std::uint64_t slot,
                          std::span<double> out) const;
  void estimate_by_gradients(std::span<const Vector* const> points, std::size_t record, std::uint64_t slot,
                             std::span<double> out) const;
  double difference(const Vector& z, const Vector& direction, std::size_t record, Vector& point) const;
  void add_gradient(const Vector& z, const Vector& offset, std::size_t record, double sign, Vector& point,
                    std::span<double> gradient, std::span<double> out) const;

  const RecordLoss* loss_;
  Estimate kind_;
  double smoothing_, lipschitz_;
  std::size_t directions_;
  std::uint64_t key_;
};

}  // namespace tacit::inline v1::nonconvex
