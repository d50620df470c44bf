#pragma once

// Layer: algorithm.
//
// Trains a custom loss, which need be neither smooth nor convex.
//
//     static_assert(tacit::ValueLoss<MyLoss>);   // records(), parameters(), value(w, record)
//     tacit::Vector w = tacit::nonconvex::minimise(tacit::record_loss(mine), start, {}, meter).value();

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::nonconvex {

enum class Pass {
  single,   // every record is used once [Kornowski24, Alg. 3 and 5]
  multi,    // every step uses all records [Alg. 4]
  sampled,  // every step uses a Poisson batch [ours, docs/o2nc.md, "Sampled batches"]
};
enum class Estimate {
  values,     // differences of f along random directions
  gradients,  // ∇f at random points of the ball
};
// How long one record's estimate may be before it is clipped.
enum class Bound {
  smoothed,  // L, and what ∇f_α can change by between two steps
  worst,  // L·d, what a single direction can give [Zhang et al. 2024], and L·d·‖z_t − z_{t−1}‖/α
  frame,  // L·√d, what d orthogonal directions can give, and L·√d·‖z_t − z_{t−1}‖/α: nothing is cut [ours]
};
enum class Output {
  random,  // the mean of a block of M iterates, drawn uniformly: what the theorems speak of
  last,    // of the last block
};
enum class Schedule {
  practical,  // sizes from the rules of docs/o2nc.md, "Without theory"
  theorem,    // those that make the bound with explicit constants least (theory.hpp)
};

// What is not given follows a rule from public values (plan.hpp).
struct TACIT_API Options {
  Guarantee target = Approx{1, 1e-5};  // Approx or Gaussian, the whole budget
  // Or zero_out, which methods() has as the default; a sampled run has zero_out alone. minimise() takes that
  // of its budget.
  Neighbours neighbours = Neighbours::replace_one;
  Pass pass = Pass::single;
  Estimate estimate = Estimate::values;
  Bound bound = Bound::smoothed;
  noise::PrefixKind prefix = noise::PrefixKind::square_root;  // single pass only
  Schedule schedule = Schedule::practical;
  Output output = Output::last;
  double lipschitz = 1;                  // L, how steep a record's loss may be; 1e-9 … 1e9
  double radius = 2;                     // how far from the start parameters are worth finding; 1e-9 … 1e9
  double gap = 1;                        // Φ ≥ F(x₀) − inf F, for the theorem; 1e-9 … 1e9
  std::optional<double> smoothing = {};  // α; 1e-9 … 1e9
  std::optional<double> step_cap = {};   // D; 1e-12 … 1e9
  std::optional<double> step_size = {};  // η; 1e-12 … 1e12
  std::optional<std::int64_t> steps = {};       // T, 1 … 1e8
  std::optional<std::int64_t> averaging = {};   // M, 1 … T
  std::optional<std::int64_t> period = {};      // Σ, 1 … 2^16 and at most T
  std::optional<std::int64_t> directions = {};  // m, 1 … 1e6
  std::optional<std::int64_t> batch = {};       // B, records of a sampled step in the mean, 1 … n
  std::optional<double> noise_multiplier = {};  // of a sampled run's fresh gradients; else the least, > 0
  std::optional<std::int64_t> records =
      {};                    // public, at least as many as there are: the others are null (zero_out)
  std::int64_t seed = 1;     // of the start
  double work_limit = 1e12;  // evaluations times parameters that a run may take, 1 … 1e18
  unsigned threads = 0;      // 0: one per core

  // Each pass has options of its own.
  static const OptionTable<Options>& table(Pass pass, Estimate estimate);
  void validate() const;
  static Options from(const Facts& facts, Pass pass, Estimate estimate);
};

TACIT_API std::string_view name(Estimate estimate);
TACIT_API std::string_view name(Bound bound);
TACIT_API std::string_view name(Output output);
TACIT_API std::string_view name(Schedule schedule);

}  // namespace tacit::inline v1::nonconvex

namespace tacit::inline v1::nonconvex {

// Sees the released iterates z_t, for experiments.
using Observer = std::function<void(std::size_t t, const Vector& z)>;

// A Goldstein-stationary point of a custom loss, by the method o2nc (docs/o2nc.md). Its budget must be for
// zero_out or for one replaced record, a sampled run's for zero_out. `loss` is record_loss(L) of a Loss or a
// ValueLoss.
TACIT_API Released<Vector> minimise(const RecordLoss& loss, const Vector& start, const Options& options,
                                    Meter& meter, const Observer& observer = {});

}  // namespace tacit::inline v1::nonconvex
