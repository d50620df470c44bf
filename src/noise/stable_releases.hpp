#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "noise/threshold.hpp"

namespace tacit::inline v1::noise {

// Many releases of values that are stable only where a test says so: propose–test–release with one
// AboveThreshold for all tests [LowyLiuAsi24, Alg. 2; docs/mechanisms.md]. Each value moves by at most its
// stated sensitivity between neighbours of which at least one has stability ≥ floor.
struct StableTerms {
  std::uint64_t releases = 1;  // T ≥ 1
  double threshold = 0;        // passes while stability + noise ≥ threshold + noise
  Pure epsilon;                // of all tests together
  double delta = 0;            // in (0, ½): that a stability below the floor passes, for each test
  Sensitivity stability;       // and stabilities are clamped to ± stability_range
  double stability_range = 0;
  Sensitivity value;
  double sigma = 0, range = 0;  // of the noise on each value, whose coordinates are clamped to ± range
  std::size_t dimension = 1;
};

class TACIT_API StableReleases {
 public:
  // What is charged: the tests, T·delta, and T Gaussian steps, which are one of √T times their mu.
  static std::vector<Step> plan(const StableTerms& terms);
  // The stability below which a value passes with probability at most delta.
  static double floor(const StableTerms& terms);

  // Charges everything, whatever the outcomes. `meter` must outlive it.
  StableReleases(const StableTerms& terms, Meter& meter);
  StableReleases(const StableReleases&) = delete;
  StableReleases& operator=(const StableReleases&) = delete;

  // Nothing when the test fails, and then it is over: UsageError afterwards, and after T releases.
  Released<std::optional<Vector>> release(const Sensitive<double>& stability, const Sensitive<Vector>& value);

 private:
  StableTerms terms_;
  Step gaussian_;
  Meter* meter_;
  std::unique_ptr<AboveThreshold> test_;
  std::uint64_t taken_ = 0;
};

}  // namespace tacit::inline v1::noise
