#pragma once

// Proposition 2.6 and Theorems 3.1, 4.1 and B.4 of [Kornowski24] with every constant written down
// [docs/o2nc.md, "The bound"]: from these the sizes of a run are chosen, and its stationarity is predicted.

#include <cstddef>

#include "tacit/core.hpp"
#include "tacit/custom_loss.hpp"

namespace tacit::inline v1::nonconvex {

inline double as_double(std::size_t x) { return static_cast<double>(x); }
inline double square(double x) { return x * x; }

// How many of its contributions one record moves a sum by: two differ where it is replaced; one that is null
// has none.
inline double contributions_moved(const Options& options) {
  return options.pass != Pass::sampled && options.neighbours == Neighbours::replace_one ? 2 : 1;
}

// What is public about a run before its noise is planned.
struct Sizes {
  std::size_t steps = 1;       // T
  std::size_t averaging = 1;   // M
  std::size_t period = 1;      // Σ
  std::size_t directions = 1;  // m
  double smoothing = 1;        // α
  double step_cap = 1;         // D

  std::size_t periods() const { return (steps + period - 1) / period; }
};

struct RunShape {
  std::size_t records = 0, parameters = 0;
  double mu = 1;           // of the whole run
  std::size_t shards = 1;  // whose sums are added
};

// Records in the first and in each later batch of a period; both all records in a multi-pass run, those that
// join in the mean in a sampled one. A batch of 0 means that the records are too few.
struct Batches {
  std::size_t start = 0, change = 0;
};
TACIT_API Batches batches(const RunShape& run, const Sizes& sizes, const Options& options);

// In norm, one record's estimate of ∇f_α and of its change between two steps.
struct ClipNorms {
  double start = 0, change = 0;
};
TACIT_API ClipNorms clip_norms(std::size_t parameters, const Sizes& sizes, const Options& options);

// How the budget of a multi-pass or sampled run is divided: mu of one fresh gradient and of one change.
struct Shares {
  double start = 0, change = 0;
};
TACIT_API Shares shares(const RunShape& run, const Sizes& sizes, const Options& options);

// In norm, how much one record's estimate may change over this distance.
TACIT_API double clip_norm_at(double distance, std::size_t parameters, const Sizes& sizes,
                              const Options& options);

// What g̃_t − ∇F_α(z_t) is made of, for losses that are L-Lipschitz: means of squares, and the bias that
// clipping brings.
struct OracleErrors {
  double fresh = 0;   // of a fresh gradient: records, directions and noise
  double change = 0;  // that each change adds: records and directions, and noise unless prefix sums have it
  double prefix = 0;  // of the prefix sums' noise, in units of their variance
  double fresh_bias = 0, change_bias = 0;
};
TACIT_API OracleErrors oracle_errors(const RunShape& run, const Sizes& sizes, const Options& options);

// The mean over a period of E‖g̃_t − ∇F_α(z_t)‖² where nothing is clipped.
TACIT_API double mean_oracle_error(const RunShape& run, const Sizes& sizes, const Options& options);

// E‖∂̄_{2α}F(x_out)‖ is at most the sum of these, for MD ≤ α and this step size η [docs/o2nc.md, "The bound"].
struct StationarityBound {
  double progress = 0;  // (Φ + Lα)/(DT)
  double regret = 0;    // of online gradient descent
  double oracle = 0;    // errors that the steps of a period share
  double clipping = 0;  // bias
  double step_size = 0;

  double total() const { return progress + regret + oracle + clipping; }
};
TACIT_API StationarityBound stationarity_bound(const RunShape& run, const Sizes& sizes,
                                               const Options& options);

// Proposition 5.1 for what O2NC returns: but for probability `failure`, ‖∇F̂_α − ∇F_α‖ is at most this at
// every point within `reach` of the start, F̂ the mean over n records and F the population's. In units of L.
TACIT_API double population_gap(std::size_t records, std::size_t parameters, double smoothing, double reach,
                                double failure);

// The sizes with the least bound over a grid of T, Σ and D, for the given α; T is a multiple of M, and M of Σ
// unless they are asked for. What is asked for is kept, or refused: UsageError, and InfeasibleError where no
// run fits the records.
TACIT_API Sizes theorem_sizes(const RunShape& run, const Options& options);

// Iterates in a block, if that many fit; the practical step size is that of such a block.
constexpr std::size_t usual_averaging = 8;

// Rules that ask for no theory [heuristic: utility only; docs/o2nc.md, "Without theory"].
TACIT_API Sizes practical_sizes(const RunShape& run, const Options& options);

}  // namespace tacit::inline v1::nonconvex
