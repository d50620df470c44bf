#include "audit/black_box/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit::inline v1::audit {

double effective_sample_size(std::span<const double> trace) {
  const std::size_t n = trace.size();
  const double count = static_cast<double>(n);
  double mean = 0;
  for (const double x : trace) mean += x;
  mean /= count;
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t k = 0; k + lag < n; ++k) sum += (trace[k] - mean) * (trace[k + lag] - mean);
    return sum / count;
  };
  const double variance = covariance(0);
  if (!(variance > 0)) return 1;
  double sum = 0;
  for (std::size_t lag = 1; lag + 1 < n; lag += 2) {
    const double pair = (covariance(lag) + covariance(lag + 1)) / variance;
    if (!(pair > 0)) break;
    sum += pair;
  }
  return std::min(count, count / (1 + 2 * sum));
}

double two_sample_distance(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  double worst = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double x = std::min(a[i], b[j]);
    while (i < a.size() && a[i] <= x) ++i;
    while (j < b.size() && b[j] <= x) ++j;
    worst = std::max(worst, std::fabs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                      static_cast<double>(j) / static_cast<double>(b.size())));
  }
  return worst;
}

// Each of the two is within t/2 of the law but for probability 2exp(−nt²/2).
double two_sample_threshold(std::size_t n, double false_alarm) {
  return std::sqrt(2 * std::log(4 / false_alarm) / static_cast<double>(n));
}

ChainDiagnostics diagnose(sampler::ConstrainedMala& mala, sampler::ExactSampler& exact, std::size_t draws,
                          double grid, BitSource& bits) {
  ChainDiagnostics result;
  std::vector<std::vector<double>> traces, chain_ends, exact_draws;
  const auto note = [](std::vector<std::vector<double>>& columns, const Vector& x) {
    columns.resize(static_cast<std::size_t>(x.size()));
    for (Eigen::Index k = 0; k < x.size(); ++k) columns[static_cast<std::size_t>(k)].push_back(x[k]);
  };
  mala.chain(bits, [&](const Vector& x) { note(traces, x); });
  result.effective_per_step = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& trace : traces)
    result.effective_per_step =
        std::min(result.effective_per_step, effective_sample_size(trace) / static_cast<double>(trace.size()));

  const std::uint64_t chains_before = mala.chains();
  for (std::size_t k = 0; k < draws; ++k) {
    note(chain_ends, mala.draw(bits));
    note(exact_draws, exact.draw(grid, bits));
  }
  result.kept = static_cast<double>(draws) / static_cast<double>(mala.chains() - chains_before);
  result.acceptance = static_cast<double>(mala.accepted()) / static_cast<double>(mala.proposals());
  for (std::size_t k = 0; k < chain_ends.size(); ++k)
    result.distance = std::max(result.distance, two_sample_distance(chain_ends[k], exact_draws[k]));
  // A union bound over the coordinates.
  result.threshold = two_sample_threshold(draws, 1e-6 / static_cast<double>(chain_ends.size()));
  return result;
}

}  // namespace tacit::inline v1::audit
