#pragma once

// The private solvers that localisation goes around.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithm/heavy_tails/options.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::heavy_tails {

// What a solver does with a block. No steps: doubles near the center are too coarse to show what it would
// find.
struct CenteredPlan {
  std::vector<Step> steps;
  double grid = 0;  // of the point that it releases
};

// A private solver of min (1/m) Σ φᵢ(⟨aᵢ,w⟩) + (λ/2)‖w − center‖², ‖center‖ ≤ center_bound: λ and the limits
// are set in its options, except that without a λ it chooses one from the shape; so is m, the number of
// places for records, of which some may be null.
struct CenteredSolver {
  std::string name;
  double (*regularisation)(const Shape& shape, const Options& options);
  CenteredPlan (*plan)(const Shape& shape, const Options& options, double center_bound);
  Released<Vector> (*solve)(const Vector& center, double center_bound, const Problem& problem,
                            const Options& options, Meter& meter);
  bool has_domain = false;  // it can solve over a W
};
TACIT_API std::span<const CenteredSolver> centered_solvers();
TACIT_API const CenteredSolver& find_centered_solver(
    std::string_view name);  // throws UsageError that lists the names

}  // namespace tacit::inline v1::heavy_tails
