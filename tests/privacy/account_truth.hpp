#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tacit/account.hpp"

// What brackets are compared with: curves whose delta is known.

namespace tacit::testing {

using Events = std::vector<Event>;
using Curve = std::function<long double(long double)>;  // delta as a function of epsilon

inline long double upper_tail(long double t) { return std::erfc(t / std::sqrt(2.0L)) / 2; }

// epsilon at delta, of a decreasing curve.
inline double invert(const Curve& curve, double delta, double high) {
  long double low = 0, top = high;
  if (curve(0) <= delta) return 0;
  for (int k = 0; k < 80; ++k) ((curve((low + top) / 2) <= delta) ? top : low) = (low + top) / 2;
  return static_cast<double>(top);
}

inline void expect_contains(const Bracket& bracket, double truth, const std::string& what,
                            double room = 1e-9) {
  EXPECT_LE(bracket.epsilon_lower, truth * (1 + room)) << what;
  EXPECT_GE(bracket.epsilon_upper, truth * (1 - room)) << what;
  EXPECT_LE(bracket.epsilon_upper - bracket.epsilon_lower, 1e-3 * truth) << what;
}

}  // namespace tacit::testing
