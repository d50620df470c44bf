#pragma once

// Layer: domain.
//
// Where parameters may lie, and projections onto it.
//
//     tacit::Domain ball = tacit::Ball{.center = tacit::Vector::Zero(3), .radius = 2};

#include <memory>
#include <variant>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

struct WholeSpace {};
struct Ball {
  Vector center = {};
  double radius = 1;  // > 0
};
struct Box {
  Vector lower = {}, upper = {};  // lower ≤ upper, finite
};
// {x : (x−center)ᵀ P (x−center) ≤ 1}, P symmetric positive definite.
struct Ellipsoid {
  Vector center = {};
  Matrix shape = {};
};
// {x : A x ≤ b}, with an interior point. An equality is a pair of exactly opposite rows; then the interior is
// meant within the equalities, which must be linearly independent.
struct Polytope {
  Matrix a = {};
  Vector b = {};
};

// A closed convex set, simple enough to project onto.
using Domain = std::variant<WholeSpace, Ball, Box, Ellipsoid, Polytope>;

// A point of the domain and a bound on its distance to the true projection, rounding included.
// Ball, box, ellipsoid: the point satisfies the domain's inequality in real arithmetic.
// Polytope: it does so up to the rounding of its own coordinates, the tolerance of `contains`.
struct Projection {
  Vector point = {};
  double distance = 0;
};

// Every entry that a domain or a projected point may have: beyond it, differences could overflow.
inline constexpr double largest_coordinate = 0x1p1000;  // 1.07e301

// Throws UsageError, in one line, unless the domain is a closed convex set that can be projected onto, in
// ℝ^dimension.
TACIT_API void validate(const Domain& domain, Eigen::Index dimension);

// An upper bound on the distance of two points of the domain; infinite for an unbounded domain.
TACIT_API double diameter(const Domain& domain);

// Whether x lies in the domain, up to an error of 4 units in the last place of each coordinate of x and of
// the domain's numbers (and of 2⁻⁸⁰ of a polytope's size in its equalities). True for every point that
// `project` returns; a box is compared exactly.
TACIT_API bool contains(const Domain& domain, const Vector& x);

// The point of the domain nearest to x.
TACIT_API Projection project(const Domain& domain, const Vector& x);

namespace detail {
class PreparedDomain;
}

// A domain made ready for many projections: factorisations and an interior point are computed once. The
// constructor validates. Copies share the prepared state; const members may be called from several threads.
class TACIT_API Projector {
 public:
  explicit Projector(const Domain& domain);

  Projection operator()(const Vector& x) const;
  bool contains(const Vector& x) const;
  double diameter() const;

 private:
  std::shared_ptr<const detail::PreparedDomain> prepared_;
};

}  // namespace tacit::inline v1
