#pragma once

#include <variant>

#include "domain/quad.hpp"
#include "domain/rows.hpp"
#include "tacit/domain.hpp"

// Each domain, validated and made ready for projections. A constructor throws UsageError when the domain is
// not one; x must be finite, of the right size and within `largest_coordinate` (PreparedDomain checks).

namespace tacit::inline v1::detail {

class PreparedSpace {
 public:
  Projection project(const Vector& x) const { return {x, 0}; }
  bool contains(const Vector&) const { return true; }
  double diameter() const;
};

class PreparedBall {
 public:
  explicit PreparedBall(const Ball& ball);
  Eigen::Index dimension() const { return ball_.center.size(); }
  Projection project(const Vector& x) const;
  bool contains(const Vector& x) const;
  double diameter() const;

 private:
  Ball ball_;
};

class PreparedBox {
 public:
  explicit PreparedBox(const Box& box);
  Eigen::Index dimension() const { return box_.lower.size(); }
  Projection project(const Vector& x) const;
  bool contains(const Vector& x) const;
  double diameter() const;

 private:
  Box box_;
};

class PreparedEllipsoid {
 public:
  explicit PreparedEllipsoid(const Ellipsoid& ellipsoid);
  Eigen::Index dimension() const { return center_.size(); }
  Projection project(const Vector& x) const;
  bool contains(const Vector& x) const;
  double diameter() const;

 private:
  // The point z = (I + μP)⁻¹v of the path from v to the center, and bounds on f(z) = zᵀPz.
  struct PathPoint {
    QuadVector z;
    Quad error = 0;  // of z, in norm
    Quad f_lower = 0, f_upper = 0;
  };
  QuadVector multiply(const QuadVector& z) const;
  QuadVector solve_roughly(const QuadVector& r, Quad multiplier) const;
  PathPoint path_point(const QuadVector& v, Quad multiplier) const;
  PathPoint value_at(QuadVector z, const QuadVector& gradient, Quad error) const;
  Quad find_multiplier(const QuadVector& v) const;
  struct Secular;
  Secular secular(const Vector& w, long double size, long double multiplier) const;
  Vector point_inside(const QuadVector& v, Quad multiplier) const;
  bool is_inside(const Vector& x) const;

  Vector center_;
  Matrix shape_;
  bool diagonal_ = false;
  Matrix axes_;                          // approximate eigenvectors; empty when diagonal
  std::vector<long double> curvatures_;  // approximate eigenvalues, > 0
  long double smallest_curvature_ = 0;   // a lower bound on the smallest eigenvalue, > 0
  Quad shape_norm_ = 0;                  // an upper bound on the Frobenius norm
};

class PreparedPolytope {
 public:
  explicit PreparedPolytope(const Polytope& polytope);
  Eigen::Index dimension() const { return rows_.a.cols(); }
  Projection project(const Vector& x) const;
  bool contains(const Vector& x) const;
  double diameter() const;

 private:
  // b − Ay, its rounding error, and how far y is from the plane of the equalities, at most.
  struct Slacks {
    QuadVector value, error;
    Quad plane_distance = 0;
  };
  // For all y of the polytope: sign·(y − interior_)_axis ≤ height + slope·‖y − interior_‖.
  struct Reach {
    Quad height = 0, slope = 0;
  };
  void measure_equalities();
  void find_interior();
  bool use_as_interior(const QuadVector& y);
  Slacks slacks(const QuadVector& y) const;
  Quad residual(const QuadVector& x, const Multipliers<Quad>& solution) const;
  struct Certificate {
    Quad distance = 0;   // of the solution to the projection, at most
    Quad violation = 0;  // θ: largest violation relative to the interior point's slack, at most
  };
  Certificate certify(const QuadVector& x, const Multipliers<Quad>& solution) const;
  Reach reach(Eigen::Index axis, double sign, double far) const;

  Rows rows_;
  QuadVector row_norms_;               // upper bounds
  double scale_ = 1;                   // largest distance of a row's plane from the origin
  long double equality_strength_ = 1;  // a lower bound on the smallest singular value of the equalities
  QuadVector interior_;
  Quad interior_shift_ = 0;    // distance of interior_ from the plane of the equalities, at most
  QuadVector interior_slack_;  // lower bounds, > 0 for every inequality
};

}  // namespace tacit::inline v1::detail
