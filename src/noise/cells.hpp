#pragma once

#include <functional>

#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

// The exponential mechanism over the fine grid points of a public ball, sampled exactly by rejection from
// coarse cells [docs/localized_exponential.md].

namespace tacit::inline v1::noise {

// Cubes of a power-of-two side with a corner at the anchor: those whose center is within `radius` of it. Each
// holds cell_points grid points an axis.
struct Cells {
  double side = 0;
  double radius = 0;
  std::size_t dimension = 0;
};
inline constexpr double cell_points = 1024;
inline double spacing(const Cells& cells) { return cells.side / cell_points; }
// An upper bound of the distance between a point of a cell and its center, and of the cells in the cube
// around the ball.
TACIT_API double half_diagonal(const Cells& cells);
TACIT_API double count_in_cube(const Cells& cells);

// A score at every point: a function that gives the same double whenever it is asked at the same point.
struct CellScore {
  std::function<double(const Vector&)> at;
};

// What is public of a choice. Sensitivity: of the score at any fixed point.
struct CellChoice {
  Cells cells;
  Sensitivity sensitivity;  // max norm
  double range = 0;         // scores are clamped to [−range, range]
  double steepness = 0;     // Lipschitz constant of the scores [utility only: steeper ones are flattened]
  Pure epsilon{1};
};
// How far log weights may be from that of their cell's center: a trial is accepted with probability e^(−2·it)
// at least, and about e^(−it) on average.
TACIT_API double cell_variation(const CellChoice& choice);

// Grid point x of a cell with center c, with probability exactly ∝ exp(l(x)), l(x) = f·score(x) rounded onto
// a public lattice and clamped to within the variation of l(c); f = epsilon/2Δ with room for the roundings.
// The log-probability ratio between neighbours has range ≤ epsilon: charged as such. The anchor's coordinates
// are multiples of the spacing.
TACIT_API Step plan_exponential_on_cells(const CellChoice& choice);
TACIT_API Released<Vector> exponential_on_cells(const Sensitive<CellScore>& score, const CellChoice& choice,
                                                const Vector& anchor, Meter& meter);

}  // namespace tacit::inline v1::noise
