#pragma once

// The test before a mean of inliers is released, with all its numbers [docs/user_level.md, "The test"].

#include <cstddef>
#include <cstdint>
#include <vector>

#include "noise/stable_releases.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"

namespace tacit::inline v1::user_level {

// What is released: the mean of C points no longer than `bound`, when ρC² of their pairs are within τ.
struct PointsShape {
  std::size_t points = 0;     // C
  std::size_t dimension = 1;  // p
  double tau = 1;
  double bound = 1;
};

// How the budget of a release is shared between the test and the noise.
struct TestShare {
  double core = 0.75;          // ρ, in (2/3, 1): share of close pairs that the test guarantees
  double test_share = 0.3;     // of epsilon, in (0, 1)
  double failure_share = 0.1;  // of delta, in (0, 1)

  void validate() const;
};

// One release by propose–test–release, for (ε,δ) in all.
struct TestedMean {
  noise::StabilityTest test;
  Sensitivity pairs, mean;
  double pair_range = 0, sigma = 0, range = 0;
  std::vector<Step> steps;
};
TACIT_API TestedMean plan_tested_mean(const PointsShape& shape, const Approx& target, const TestShare& share);

// T releases with one AboveThreshold, for (ε,δ) in all.
TACIT_API noise::StableTerms plan_tested_means(const PointsShape& shape, std::uint64_t releases,
                                               const Approx& target, const TestShare& share);

// Points that all agree fail a test this often [heuristic: utility only].
inline constexpr double false_alarm = 1e-3;

// The least even C for which points that all agree pass the test but for one time in a thousand: for one
// release, or for T with one AboveThreshold.
TACIT_API std::size_t least_points(const Approx& target, const TestShare& share);
TACIT_API std::size_t least_points(std::uint64_t releases, const Approx& target, const TestShare& share);

// The noise multiplier that such releases take: sigma over the sensitivity, and √T times that.
TACIT_API double tested_noise(const Approx& target, const TestShare& share, bool many);

}  // namespace tacit::inline v1::user_level
