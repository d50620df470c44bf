#pragma once

#include <cmath>

#include "tacit/domain.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// Onto the domain, which is public: post-processing.
inline Released<Vector> onto_domain(const Released<Vector>& w, const Domain& domain) {
  if (std::holds_alternative<WholeSpace>(domain)) return w;
  return w.map([](const Vector& x, const Domain& set) { return project(set, x).point; }, Public(domain));
}

// A point near Π(x) whose coordinates are multiples of the grid: within a ball or box, if that holds such a
// point at all near Π(x); of the other domains, within half a cell of Π(x).
Vector snapped_onto(const Domain& domain, const Vector& x, double grid);

// Onto the domain and onto the grid of the last release.
inline Released<Vector> onto_domain(const Released<Vector>& w, const Domain& domain, double grid) {
  if (std::holds_alternative<WholeSpace>(domain)) return w;
  return w.map([](const Vector& x, const Domain& set, double g) { return snapped_onto(set, x, g); },
               Public(domain), Public(grid));
}

// The nearest multiples of the grid: post-processing too.
inline Vector onto_grid(Vector x, double grid) {
  for (double& each : x) each = grid * std::nearbyint(each / grid) + 0.0;  // never −0
  return x;
}

}  // namespace tacit::inline v1
