#pragma once

// Lasry–Lions smoothing in low dimension [Kornowski24, Appendix C]:
//   h̃(x) = −M_λ(−M_{2λ}h)(x) = max_z min_y [ h(y) + ‖y − z‖²/(4λ) − ‖z − x‖²/(2λ) ],
// whose smoothness 1/λ does not grow with the dimension, by a search that does: for two or three dimensions.
// No privacy: this is the route that the paper calls inefficient, here to be looked at.

#include <functional>

#include "tacit/core.hpp"

namespace tacit::inline v1::nonconvex {

using Function = std::function<double(const Vector&)>;

struct SearchOptions {
  int points = 33;  // along each axis of the first grid, 3 … 101: it must find the right valley
  int zooms = 16;   // grids of 5 points around the best point so far, each half as wide; 0 … 40
};

struct MoreauPoint {
  double value = 0;
  Vector point;  // where it is attained
};
// M_λ(h)(x) = min_y h(y) + ‖y − x‖²/(2λ), for an L-Lipschitz h: y lies within 2λL of x.
TACIT_API MoreauPoint moreau_envelope(const Function& h, const Vector& x, double lambda, double lipschitz,
                                      const SearchOptions& search = {});

struct SmoothedPoint {
  double value = 0;  // h − L²λ ≤ h̃ ≤ h
  Vector gradient;   // (z* − x)/λ
  Vector outer;      // z*
  Vector inner;      // a y*, within 3λL of x, with (z* − y*)/(2λ) ∈ ∂h(y*)
};
TACIT_API SmoothedPoint lasry_lions(const Function& h, const Vector& x, double lambda, double lipschitz,
                                    const SearchOptions& search = {});

}  // namespace tacit::inline v1::nonconvex
