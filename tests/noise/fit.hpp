#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace tacit::testing {

// The Kolmogorov–Smirnov distance between a sample and a continuous law.
template <class Cdf>
double ks_distance(std::vector<double> sample, Cdf&& cdf) {
  std::ranges::sort(sample);
  const double n = static_cast<double>(sample.size());
  double worst = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = cdf(sample[i]), rank = static_cast<double>(i);
    worst = std::max({worst, p - rank / n, (rank + 1) / n - p});
  }
  return worst;
}

// P(distance > threshold) ≤ false_alarm for a sample of the law itself, for every n
// [Dvoretzky–Kiefer–Wolfowitz with Massart's constant].
inline double ks_threshold(std::size_t n, double false_alarm) {
  return std::sqrt(std::log(2 / false_alarm) / (2 * static_cast<double>(n)));
}

}  // namespace tacit::testing
