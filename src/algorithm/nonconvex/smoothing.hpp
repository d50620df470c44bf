#pragma once

// Uniform-ball smoothing f_α(x) = E f(x + αU), U uniform in the unit ball, of an L-Lipschitz f: how smooth it
// is, and how much its two estimators vary [docs/o2nc.md, "Smoothing"].

#include <cstddef>

#include "tacit/core.hpp"

namespace tacit::inline v1::nonconvex {

// The smoothness of f_α in units of L/α: (2/√π)·Γ(d/2+1)/Γ((d+1)/2), attained by L|u₁|. d ≥ 1.
TACIT_API double smoothness_constant(std::size_t dimension);

// A bound on ‖∇f_α(x) − ∇f_α(y)‖ in units of L, at ‖x − y‖ = distance: twice the share of one ball that is
// outside of the other, 2(1 − I_{1−(r/2α)²}((d+1)/2, ½)). Never above min(2, smoothness·r/α).
TACIT_API double gradient_change(std::size_t dimension, double distance, double radius);

// E‖(d/2α)(f(x+αy) − f(x−αy))y‖² in units of L², y uniform on the sphere: at most d²/(d−1), by Poincaré's
// inequality; 1 for d = 1.
TACIT_API double two_point_moment(std::size_t dimension);

// Directions are drawn in groups, orthogonal within each: at most this many, so that the work for a direction
// stays linear in its length.
constexpr std::size_t largest_group = 64;
TACIT_API std::size_t direction_groups(std::size_t dimension, std::size_t directions);

// What an estimate by values from these directions can have in norm at most, in units of L: (d/m)·Σ√(size of
// a group), which is √d where a frame of d directions is a group, and d for a single direction.
TACIT_API double longest_estimate(std::size_t dimension, std::size_t directions);

}  // namespace tacit::inline v1::nonconvex
