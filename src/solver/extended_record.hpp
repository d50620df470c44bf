#pragma once

// One record's Lipschitz extension, found through one number [ours, docs/double_output.md, "Record by
// record"].
//
// Notation: W a ball or box, û = a/‖a‖ turned so that the loss rises along it, v(s) ≥ 0 its slope along û,
// H(r) = Q·r²/2 up to r = C/Q and C·r − C²/(2Q) beyond. The minimiser of f(y) + H(‖w − y‖) over W lies on
// the path y_m = Π_W(w − m·û), m ≥ 0, where
//   h·m = v(y_m),  h = min(Q, C/‖w − y_m‖):
// the left side rises with m and the right side falls. The gradient at w is h·(w − y_m).

#include <algorithm>
#include <cmath>

namespace tacit::inline v1 {

// C and Q of the extension, and D, the diameter of W.
struct ExtensionSizes {
  long double lipschitz = 0, curvature = 0, diameter = 0;
};

// A point of the path: how far it is from w, and the record's score ⟨a, y⟩ there.
struct PathPoint {
  long double moved = 0, score = 0;
};

// The brackets of m close to this part of it, or of C/Q.
inline constexpr long double path_tolerance = 0x1p-56L;

// h and m of the minimiser. `free`: the path had not met the boundary, so that h·m is `pull`, and w − y =
// m·û.
struct PathRoot {
  long double pull = 0, m = 0, h = 0;
  bool free = true;
};

// Path: at(m), a PathPoint; exit(), the largest m up to which y_m = w − m·û. v(score): the slope, which falls
// along the path, up to rounding. v_start: v at w, > 0.
template <class Path, class Slope>
PathRoot extension_root(const Path& path, const Slope& v, long double v_start, const ExtensionSizes& sizes) {
  const long double c = sizes.lipschitz, q = sizes.curvature, exit = path.exit();
  const auto pull_at = [&](long double m, const PathPoint& at) {
    return m * (at.moved * q <= c ? q : c / at.moved);
  };
  // A bracket: too little pull at `low`, enough of it at `high`. The Illinois rule; halving every third time.
  const auto solve = [&](long double low, long double lack, long double high, long double excess) {
    for (int k = 0; k < 600 && high - low > path_tolerance * std::max(high, c / q) && excess > 0; ++k) {
      long double m = k % 3 == 2 ? 0.5L * (low + high) : low + (high - low) * (lack / (lack + excess));
      if (!(m > low && m < high)) m = 0.5L * (low + high);
      if (!(m > low && m < high)) break;
      const PathPoint at = path.at(m);
      const long double rest = pull_at(m, at) - v(at.score);
      if (rest >= 0) {
        high = m;
        excess = rest;
        lack *= 0.5L;
      } else {
        low = m;
        lack = -rest;
        excess *= 0.5L;
      }
    }
    return high;
  };
  const auto at_exit = [&] { return path.at(exit); };

  const long double turn = std::min(c / q, exit);
  // Straight along û, by less than C/Q: h = Q. Where the slope does not change, m = v/Q at once.
  if (const long double m = v_start / q; m <= turn && v(path.at(m).score) == v_start)
    return {v_start, m, q, true};
  const PathPoint first = path.at(turn);
  const long double v_turn = v(first.score);
  if (q * turn >= v_turn) {
    const long double m = solve(0, v_start, turn, q * turn - v_turn);
    return {q * m, m, q, true};
  }
  long double low = turn, lack = v_turn - q * turn;
  if (exit > turn) {
    // Straight along û, by more: h·m = C whatever m is.
    const long double v_exit = v(at_exit().score);
    if (v_exit <= c) return {c, exit, c / exit, true};
    low = exit;
    lack = v_exit - c;
  }
  // Along the boundary. ‖w − y‖ ≤ D, so that h ≥ min(Q, C/D), and this much is enough:
  const long double high =
      std::max(low, v_start * (1 + 0x1p-20L) / std::min(q, c / sizes.diameter)) * (1 + 0x1p-20L);
  const PathPoint end = path.at(high);
  const long double m = solve(low, lack, high, pull_at(high, end) - v(end.score));
  const PathPoint at = path.at(m);
  return {pull_at(m, at), m, at.moved * q <= c ? q : c / at.moved, false};
}

}  // namespace tacit::inline v1
