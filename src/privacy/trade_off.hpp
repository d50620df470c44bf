#pragma once

#include <span>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"

// What a guarantee means to someone who guesses whether a record was there: how often the best test is right,
// given how often it may be wrong.

namespace tacit::inline v1 {

// The release is (epsilon, delta)-DP.
struct ProfilePoint {
  double epsilon = 0, delta = 0;
};

// Points of the curve delta(epsilon), each of them true: what the events give together, by privacy-loss
// distributions, and what is `stated` of them (itself, where that is pure or approximate). In the order of
// epsilon, from 0 to where delta is negligible. Only the stated point where epsilon is so large that nothing
// is promised (above 700, where e^epsilon overflows).
TACIT_API std::vector<ProfilePoint> privacy_profile(std::span<const Event> events, const Guarantee& stated);

// No test that takes neighbour D for D' with probability at most `false_positives` recognises D' with a
// higher probability than this [Wasserman & Zhou 2010, Thm 2.4; Dong, Roth & Su 2022, Prop. 2.5]:
//   min over the points of  e^eps a + delta  and  1 − e^−eps (1 − delta − a).
// Rounded up. 0 <= false_positives <= 1.
TACIT_API double most_true_positives(std::span<const ProfilePoint> profile, double false_positives);

}  // namespace tacit::inline v1
