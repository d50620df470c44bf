#pragma once

#include "tacit/domain.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1 {

// Onto the domain, which is public: post-processing.
inline Released<Vector> onto_domain(const Released<Vector>& w, const Domain& domain) {
  if (std::holds_alternative<WholeSpace>(domain)) return w;
  return w.map([](const Vector& x, const Domain& set) { return project(set, x).point; }, Public(domain));
}

}  // namespace tacit::inline v1
