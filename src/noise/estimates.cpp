#include "noise/estimates.hpp"

#include "core/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tacit::inline v1::noise {

namespace {}

// Pairwise, with what each addition loses (exact by Knuth's TwoSum) summed beside it: for terms ≥ 0 the
// losses add up to at most γ_depth of the sum, and their own sum is that precise again [Higham, Accuracy and
// Stability, §4.2].
Estimate sum(std::vector<double>& terms) {
  std::vector<double> lost(terms.size(), 0.0);
  std::size_t depth = 0;
  for (std::size_t count = terms.size(); count > 1; ++depth) {
    const std::size_t half = (count + 1) / 2;
    for (std::size_t i = 0; i + half < count; ++i) {
      const double a = terms[i], b = terms[i + half], both = a + b, kept = both - a;
      lost[i] += lost[i + half] + ((a - (both - kept)) + (b - kept));
      terms[i] = both;
    }
    count = half;
  }
  const double gamma = gamma_bound(2 * depth);
  return {terms[0] + lost[0], 2 * (u + gamma * gamma)};
}

// Eight sums, so that the additions overlap.
double unread_digits(std::span<const std::uint64_t> words) {
  double sums[8] = {};
  for (std::size_t i = 0; i < words.size(); ++i) sums[i % 8] += 1 / static_cast<double>(words[i]);
  return 1.01 * std::accumulate(std::begin(sums), std::end(sums), 0.0);
}

// −ln of products of eight: fewer logarithms, and no less precise.
Estimate gamma_sum(const std::vector<std::uint64_t>& words, std::size_t count, const Kernels& kernels) {
  constexpr std::size_t factors = 8;  // a product of eight Û ≥ 2^−64 does not underflow
  std::vector<double> uniform((count + factors - 1) / factors * factors, 1.0);
  kernels.to_uniform(words.data(), uniform.data(), count);
  std::fill(uniform.begin() + static_cast<std::ptrdiff_t>(count), uniform.end(), 1.0);

  std::vector<double> terms(padded(uniform.size() / factors), 1.0);
  for (std::size_t i = 0; i < uniform.size(); ++i) terms[i / factors] *= uniform[i];
  kernels.minus_log(terms.data(), terms.size());
  const Estimate total = sum(terms);
  // Per uniform: 1/w (bits not read), u (rounding of w), u (the product). On the whole: 4u (logarithm), the
  // sum.
  const double unread = unread_digits(std::span(words).first(count));
  const double absolute = 1.05 * (unread + 2 * u * static_cast<double>(count));
  return {total.value, absolute / total.value + 4.1 * u + 1.05 * total.relative_error};
}

Estimate gaussian_length(double total, double absolute) {
  const double relative = usable(absolute / total);
  // √ halves a small relative error: |√(1 + e) − 1| ≤ 0.51|e| for |e| ≤ 0.01; + u for the root itself.
  return {std::sqrt(2 * total), 0.51 * relative + u};
}

Estimate quotient(const Estimate& a, const Estimate& b) {
  // (1 + e₁)/(1 + e₂) for |e| ≤ 0.01 is 1 + e with |e| ≤ 1.02(|e₁| + |e₂|).
  return {a.value / b.value, usable(1.05 * (a.relative_error + b.relative_error) + 4 * u)};
}

}  // namespace tacit::inline v1::noise
