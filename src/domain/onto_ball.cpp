#include "domain/onto_ball.hpp"

namespace tacit::inline v1 {

Vector onto_ball(const Vector& w, double radius) {
  const double norm = w.norm();
  return norm > radius ? Vector(w * (radius / norm)) : w;
}

Vector onto_ball_around(const Vector& center, const Vector& w, double radius) {
  return center + onto_ball(w - center, radius);
}

}  // namespace tacit::inline v1
