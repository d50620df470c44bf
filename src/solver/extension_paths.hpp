#pragma once

// The paths of extended_record.hpp on balls and boxes.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solver/extended_record.hpp"

namespace tacit::inline v1 {

// y_m on a ball around 0 of radius R, in the plane of û and x = w − c: p = ⟨û, x⟩, T = ‖x‖², e = R² − T ≥ 0.
struct BallPath {
  long double p, square, room, radius, offset, norm;  // score = offset + norm·⟨û, y − c⟩

  long double exit() const {
    const long double root = std::sqrt(p * p + room);
    return p >= 0 ? p + root : room == 0 ? 0 : room / (root - p);
  }
  // ‖x − m·û‖² − R², without the cancellation of large squares; > 0 outside.
  long double beyond(long double m) const { return m * m - 2 * p * m - room; }
  // 1 − κ, where y − c = κ(x − m·û).
  long double shrunk(long double m) const {
    const long double out = beyond(m);
    if (out <= 0) return 0;
    const long double length = std::sqrt(radius * radius + out);
    return out / (length * (length + radius));
  }
  PathPoint at(long double m) const {
    const long double gap = shrunk(m), kappa = 1 - gap;
    if (gap == 0) return {m, offset + norm * (p - m)};
    // w − y = (1−κ)x + κm·û
    const long double moved = gap * gap * square + 2 * kappa * gap * m * p + kappa * kappa * m * m;
    return {std::sqrt(std::max(0.0L, moved)), offset + norm * (kappa * (p - m))};
  }
};

// y_m on a box, over the row's own columns: elsewhere y = w.
struct BoxPath {
  const std::vector<long double>& u;             // û
  const std::vector<long double>&below, &above;  // w − lower, w − upper
  long double start, norm;                       // the score at w

  long double step(std::size_t k, long double m) const { return std::clamp(m * u[k], above[k], below[k]); }
  long double exit() const {
    long double m = std::numeric_limits<long double>::infinity();
    for (std::size_t k = 0; k < u.size(); ++k)
      if (u[k] != 0) m = std::min(m, (u[k] > 0 ? below[k] : above[k]) / u[k]);
    return m;
  }
  PathPoint at(long double m) const {
    long double square = 0, along = 0;
    for (std::size_t k = 0; k < u.size(); ++k) {
      const long double d = step(k, m);
      square += d * d;
      along += u[k] * d;
    }
    return {std::sqrt(square), start - norm * along};
  }
};

}  // namespace tacit::inline v1
