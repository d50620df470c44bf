#pragma once

#include <variant>

#include "tacit/core/api.hpp"
#include "tacit/core/linalg.hpp"

namespace tacit::inline v1 {

struct WholeSpace {};
struct Ball {
  Vector center;
  double radius = 1;  // > 0
};
struct Box {
  Vector lower, upper;  // lower ≤ upper, finite
};
// {x : (x−center)ᵀ P (x−center) ≤ 1}, P symmetric positive definite.
struct Ellipsoid {
  Vector center;
  Matrix shape;
};
// {x : A x ≤ b}, not empty.
struct Polytope {
  Matrix a;
  Vector b;
};

// A closed convex set, simple enough to project onto.
using Domain = std::variant<WholeSpace, Ball, Box, Ellipsoid, Polytope>;

// A point of the domain and a bound on its distance to the true projection, rounding included.
struct Projection {
  Vector point;
  double distance = 0;
};

// The point of the domain nearest to x.
TACIT_API Projection project(const Domain& domain, const Vector& x);

}  // namespace tacit::inline v1
