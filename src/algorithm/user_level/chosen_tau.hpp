#pragma once

// Means of inliers at a tau that is chosen from the data, privately [docs/outliers.md, "A τ from the data"].
//
// Every tau of a public grid has its own sensitivity of the mean, and noise in proportion to it: what a
// release costs is the same for all of them.

#include <cstdint>
#include <vector>

#include "algorithm/user_level/concentration.hpp"
#include "solver/outliers.hpp"

namespace tacit::inline v1::user_level {

// Ascending by factors of 2^{1/4} over 2^16; points no longer than `bound` are all within the last one.
TACIT_API std::vector<double> tau_grid(double bound);

// What is released at each tau, while at least `floor` ordered pairs are within it.
struct TACIT_API ScaledMeans {
  std::vector<double> taus;
  std::vector<Sensitivity> means;  // of the mean of inliers, for each tau
  double floor = 0;
  double bound = 0, range = 0;  // on the length of points, and on the coordinates of a mean
  double multiplier = 0;        // of the noise: sigma over the sensitivity

  double sigma(std::size_t tau) const;
};

// The exponential mechanism, for the least tau with `target` close pairs: a rank among the grid.
struct TauChoice {
  Pure epsilon;
  double target = 0;
  Sensitivity pairs;
  double range = 0;
};
TACIT_API Step plan_choice(const TauChoice& choice);
// Points must be no longer than the bound (zero_beyond).
TACIT_API Released<std::size_t> choose_tau(const Points& points, const ScaledMeans& means,
                                           const TauChoice& choice, unsigned threads, Meter& meter);

// One release, for which the choice is the test as well: it falls below the floor with probability delta at
// most.
struct ChosenMean {
  TauChoice choice;
  ScaledMeans means;
  std::vector<Step> steps;  // choice, failure, noise

  const Step& failure() const { return steps[1]; }
  const Step& noise() const { return steps[2]; }
};
TACIT_API ChosenMean plan_chosen_mean(const PointsShape& shape, const Approx& target, const TestShare& share);
TACIT_API std::size_t least_chosen_points(const Approx& target, const TestShare& share);
// Fewest with which a tau that is too wide is chosen one time in twenty at most. With fewer the target is
// nearly all pairs, and every tau beyond the widest pair has nearly as good a score as the least of them.
TACIT_API std::size_t sure_chosen_points(const Approx& target, const TestShare& share);

// Many releases: a choice for a start, then a Gaussian test before each release. What fails is not released;
// tau grows, and shrinks where the pairs are closer than need be.
struct Tracking {
  std::uint64_t tests = 1, releases = 1;
  double choice_epsilon = 0;  // 0: the choice is charged elsewhere
};
// The tau in use, as an index; it does not go back to one that failed a test.
struct TrackedTau {
  std::size_t now = 0, least = 0;
};
struct TACIT_API TrackedMeans {
  TauChoice choice;  // its epsilon is for the caller to set where it is charged elsewhere
  double threshold = 0, test_sigma = 0;
  ScaledMeans means;
  std::vector<Step> steps;  // choice (unless charged elsewhere), tests, failure, noise

  const Step& tests() const { return steps[steps.size() - 3]; }
  const Step& failure() const { return steps[steps.size() - 2]; }
  const Step& noise() const { return steps.back(); }

  // The tau to try next, after a test showed so many pairs. [heuristic: utility only]
  TrackedTau next(TrackedTau tau, double noisy_pairs) const;
};
TACIT_API TrackedMeans plan_tracked_means(const PointsShape& shape, const Tracking& tracking,
                                          const Approx& target, const TestShare& share);
TACIT_API std::size_t least_tracked_points(const Tracking& tracking, const Approx& target,
                                           const TestShare& share);

// Tests the points at one tau, and releases the mean of inliers if they pass. Two meters: for one of
// plan.tests() and one of plan.noise().
struct Tested {
  bool passed = false;
  double noisy_pairs = 0;
  std::optional<Released<Vector>> mean;
};
TACIT_API Tested test_and_release(const Points& points, std::size_t tau, const TrackedMeans& plan,
                                  unsigned threads, Meter& tests, Meter& releases);
// The mean of inliers at one tau, with its noise; the meter is that of the scaled noise.
TACIT_API Released<Vector> release_mean(const Points& points, std::size_t tau, const ScaledMeans& means,
                                        const Vector& fallback, unsigned threads, Meter& meter);

}  // namespace tacit::inline v1::user_level
