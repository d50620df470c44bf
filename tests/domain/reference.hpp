#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstddef>
#include <vector>

#include "tacit/domain.hpp"

// Projections in 100 decimal digits, by methods that share nothing with the library's.

namespace tacit::reference {

using Real =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>, boost::multiprecision::et_off>;
using RealVector = std::vector<Real>;
using RealMatrix = std::vector<RealVector>;

inline RealVector to_real(const Vector& x) { return RealVector(x.begin(), x.end()); }

inline RealMatrix to_real(const Matrix& a) {
  RealMatrix rows;
  for (const auto& row : a.rowwise()) rows.emplace_back(row.begin(), row.end());
  return rows;
}

inline Real dot(const RealVector& x, const RealVector& y) {
  Real sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

inline RealVector minus(RealVector x, const RealVector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= y[i];
  return x;
}

inline Real norm(const RealVector& x) { return sqrt(dot(x, x)); }

inline Real distance(const Vector& x, const RealVector& y) { return norm(minus(to_real(x), y)); }

inline RealVector multiply(const RealMatrix& a, const RealVector& x) {
  RealVector result;
  for (const RealVector& row : a) result.push_back(dot(row, x));
  return result;
}

// Gaussian elimination with row pivoting; empty when singular.
RealVector solve(RealMatrix a, RealVector b);

// c + r·v/‖v‖
RealVector project(const Ball& ball, const Vector& x);

// Bisection on the multiplier of the secular equation, each step a dense solve.
RealVector project(const Ellipsoid& ellipsoid, const Vector& x);

// Tries every set of at most d rows as the active one. A row counts as satisfied within 1e-80·(1 + ‖x‖).
RealVector project(const Polytope& polytope, const Vector& x);

// Onto the box ∩ the ball around a point of it: bisection on s, x_s = clamp(w₀ + s·(x − w₀)).
RealVector project(const Box& box, const Ball& ball, const Vector& x);

// (x−c)ᵀP(x−c)
Real ellipsoid_value(const Ellipsoid& ellipsoid, const Vector& x);

inline RealVector solve(RealMatrix a, RealVector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (abs(a[i][k]) > abs(a[pivot][k])) pivot = i;
    if (abs(a[pivot][k]) < Real("1e-90")) return {};
    std::swap(a[k], a[pivot]), std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

inline RealVector project(const Ball& ball, const Vector& x) {
  const RealVector center = to_real(ball.center);
  RealVector v = minus(to_real(x), center);
  const Real length = norm(v), radius = ball.radius;
  if (length <= radius) return to_real(x);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = center[i] + v[i] * radius / length;
  return v;
}

inline Real ellipsoid_value(const Ellipsoid& ellipsoid, const Vector& x) {
  const RealVector e = minus(to_real(x), to_real(ellipsoid.center));
  return dot(e, multiply(to_real(ellipsoid.shape), e));
}

inline RealVector project(const Ellipsoid& ellipsoid, const Vector& x) {
  const RealMatrix shape = to_real(ellipsoid.shape);
  const RealVector center = to_real(ellipsoid.center), v = minus(to_real(x), center);
  if (dot(v, multiply(shape, v)) <= 1) return to_real(x);
  const auto path = [&](const Real& multiplier) {
    RealMatrix system = shape;
    for (std::size_t i = 0; i < v.size(); ++i) {
      for (std::size_t j = 0; j < v.size(); ++j) system[i][j] *= multiplier;
      system[i][i] += 1;
    }
    return solve(system, v);
  };
  Real trace = 0;
  for (std::size_t i = 0; i < v.size(); ++i) trace += shape[i][i];
  // f(μ) ≥ f(0)/(1 + μ·trace)²
  Real low = (sqrt(dot(v, multiply(shape, v))) - 1) / trace, high = 2 * low;
  const auto is_outside = [&](const RealVector& z) { return dot(z, multiply(shape, z)) > 1; };
  while (is_outside(path(high))) high *= 16;
  for (int step = 0; step < 240; ++step) {
    const Real middle = high / low > 4 ? sqrt(low * high) : (low + high) / 2;
    (is_outside(path(middle)) ? low : high) = middle;
  }
  RealVector p = path(high);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] += center[i];
  return p;
}

inline RealVector project(const Polytope& polytope, const Vector& x) {
  RealMatrix a = to_real(polytope.a);
  RealVector b = to_real(polytope.b);
  const RealVector target = to_real(x);
  const std::size_t rows = a.size(), d = target.size();
  const Real tolerance = Real("1e-80") * (1 + norm(target));
  for (std::size_t i = 0; i < rows; ++i) {
    const Real length = norm(a[i]);
    for (Real& entry : a[i]) entry /= length;
    b[i] /= length;
  }
  for (std::size_t mask = 0; mask < std::size_t{1} << rows; ++mask) {
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < rows; ++i)
      if (mask >> i & 1) active.push_back(i);
    if (active.size() > d) continue;
    RealMatrix gram;
    RealVector excess;
    for (const std::size_t i : active) {
      gram.emplace_back();
      for (const std::size_t j : active) gram.back().push_back(dot(a[i], a[j]));
      excess.push_back(dot(a[i], target) - b[i]);
    }
    const RealVector lambda = solve(gram, excess);
    if (lambda.size() != active.size()) continue;
    RealVector p = target;
    bool good = true;
    for (std::size_t k = 0; k < active.size(); ++k) {
      good = good && lambda[k] >= 0;
      for (std::size_t j = 0; j < d; ++j) p[j] -= lambda[k] * a[active[k]][j];
    }
    for (std::size_t i = 0; good && i < rows; ++i) good = dot(a[i], p) - b[i] <= tolerance;
    if (good) return p;
  }
  return {};
}

inline RealVector project(const Box& box, const Ball& ball, const Vector& x) {
  const RealVector lower = to_real(box.lower), upper = to_real(box.upper), center = to_real(ball.center);
  const RealVector v = minus(to_real(x), center);
  const auto path = [&](const Real& s) {
    RealVector point;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const Real z = s == 1 ? Real(x[static_cast<Eigen::Index>(i)]) : center[i] + s * v[i];
      point.push_back(z < lower[i] ? lower[i] : z > upper[i] ? upper[i] : z);
    }
    return point;
  };
  const auto is_inside = [&](const Real& s) { return norm(minus(path(s), center)) <= Real(ball.radius); };
  if (is_inside(1)) return path(1);
  Real low = 0, high = 1;
  for (int step = 0; step < 300; ++step) {
    const Real middle = (low + high) / 2;
    (is_inside(middle) ? low : high) = middle;
  }
  return path(low);
}

}  // namespace tacit::reference
