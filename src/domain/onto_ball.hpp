#pragma once

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// Radial projection onto the ball around 0, or around a center.
TACIT_API Vector onto_ball(const Vector& w, double radius);
TACIT_API Vector onto_ball_around(const Vector& center, const Vector& w, double radius);

}  // namespace tacit::inline v1
