#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

// Tests of a private number against a public threshold.

namespace tacit::inline v1::noise {

// AboveThreshold [Dwork–Roth 2014, Alg. 1; LowyLiuAsi24, Alg. 4]: answers any number of questions "is the
// score above the threshold?", each with the stated sensitivity, for epsilon in all, until the first yes.
// Noise Lap(2Δ/ε) on the threshold, Lap(4Δ/ε) on each score, exact, on a grid that Δ is a multiple of.
class TACIT_API AboveThreshold {
 public:
  // Charges epsilon. Scores are clamped to [−range, range], |threshold| ≤ range. `meter` must outlive it.
  AboveThreshold(double threshold, const Sensitivity& sensitivity, double range, Pure epsilon, Meter& meter);
  // A copy would answer with what was paid for once.
  AboveThreshold(const AboveThreshold&) = delete;
  AboveThreshold& operator=(const AboveThreshold&) = delete;

  static Step plan(const Sensitivity& sensitivity, double range, Pure epsilon);

  // Throws UsageError after the first yes, and for a score whose sensitivity is larger than the one paid for.
  Released<bool> ask(const Sensitive<double>& score);

 private:
  Step step_;
  double range_, noisy_threshold_ = 0;
  bool done_ = false;
  Meter* meter_;
};

// Propose–test–release [Dwork–Lei 2009; docs/mechanisms.md]. `value` moves by at most its stated sensitivity
// between neighbours of which at least one has stability ≥ floor. A noisy test of the stability comes first;
// the value is released with Gaussian noise only if it passes. A failed test releases nothing else, and that
// outcome is private too. The floor must lie above −stability_range, where stabilities are clamped.
struct StabilityTest {
  double threshold = 0;  // passes when stability + Laplace noise ≥ threshold
  Pure epsilon;          // of the test
  double delta = 0;      // in (0, ½): probability that a stability below the floor passes
};
// The floor that the test guarantees: threshold − (Δ/ε)·ln(1/(2δ)) − half a grid cell, rounded down.
TACIT_API double stability_floor(const StabilityTest& test, const Sensitivity& stability, double range);

TACIT_API std::vector<Step> plan_propose_test_release(const StabilityTest& test, const Sensitivity& stability,
                                                      double stability_range, const Sensitivity& value,
                                                      double sigma, double range, std::size_t dimension);
// Charges the test, its delta and the Gaussian step, whatever the outcome.
TACIT_API Released<std::optional<Vector>> propose_test_release(const StabilityTest& test,
                                                               const Sensitive<double>& stability,
                                                               double stability_range,
                                                               const Sensitive<Vector>& value, double sigma,
                                                               double range, Meter& meter);

}  // namespace tacit::inline v1::noise
