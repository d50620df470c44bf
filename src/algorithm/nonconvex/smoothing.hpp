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

}  // namespace tacit::inline v1::nonconvex
