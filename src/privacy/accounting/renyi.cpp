#include <cmath>

#include "core/interval.hpp"
#include "privacy/accounting/costs.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// Notation [Mironov, Talwar & Zhang 2019]: a = order, q = rate, s = noise multiplier,
// A = E_{x ~ N(0,s²)} ((1−q) + q e^{(2x−1)/(2s²)})^a, divergence = ln A / (a−1).
struct GaussianStep {
  Interval a, q, s2;  // s2 = s²

  GaussianStep(double noise_multiplier, double rate, double order, long bits)
      : a(order, bits), q(rate, bits), s2(Interval(noise_multiplier, bits) * noise_multiplier) {}
};

// e^{(j²−j)/(2s²)}: the j-th moment of the likelihood ratio.
Interval moment(const GaussianStep& p, const Interval& j) { return exp(j * (j - 1.0) / (p.s2 * 2.0)); }

// A = sum_k C(a,k) (1−q)^{a−k} q^k e^{(k²−k)/(2s²)} for an integer a.
Interval integer_order(const GaussianStep& p, unsigned long order) {
  const Interval log_q = log(p.q), log_rest = log1p(-p.q);
  Interval sum(0, p.a.bits()), choose(1, p.a.bits());
  for (unsigned long k = 0; k <= order; ++k) {
    const Interval j(static_cast<double>(k), p.a.bits());
    sum = sum + choose * exp((p.a - j) * log_rest + j * log_q) * moment(p, j);
    choose = choose * (p.a - j) / (j + 1.0);
  }
  return sum;
}

// For any a: below z = s² ln(1/q − 1) + 1/2 the first term of the mixture is the larger, above it the second,
// and the binomial series in their ratio (<= 1) is integrated term by term:
//   A = sum_k C(a,k) [ (1−q)^{a−k} q^k     e^{(k²−k)/(2s²)}         Phi((z−k)/s)
//                    + (1−q)^k     q^{a−k} e^{((a−k)²−(a−k))/(2s²)} Phi((a−k−z)/s) ].
// Past k > a the terms of each half alternate in sign and shrink, so what is left out is at most the first
// term left out.
Interval any_order(const GaussianStep& p) {
  constexpr int most_terms = 4000;
  const long bits = p.a.bits();
  const Interval log_q = log(p.q), log_rest = log1p(-p.q), s = sqrt(p.s2);
  const Interval z = p.s2 * (log_rest - log_q) + 0.5;
  Interval sum(0, bits), choose(1, bits);
  for (int k = 0;; ++k) {
    const Interval j(k, bits), rest = p.a - j;
    const Interval low = choose * exp(rest * log_rest + j * log_q) * moment(p, j) * normal_cdf((z - j) / s);
    const Interval high =
        choose * exp(j * log_rest + rest * log_q) * moment(p, rest) * normal_cdf((rest - z) / s);
    if (k > p.a.upper() + 1) {
      const Interval omitted = abs(low) + abs(high);
      // 1e-12 of ln A, which is at least about A − 1.
      if (omitted.upper() <= 1e-12 * std::fabs((sum - 1.0).lower()) || k >= most_terms)
        return sum.widened(omitted);
    }
    sum = sum + low + high;
    choose = choose * rest / (j + 1.0);
  }
}

}  // namespace

double poisson_gaussian_renyi(double noise_multiplier, double rate, double order) {
  if (!(order > 1) || std::isinf(order))
    throw_error<UsageError>("a Renyi order is {}, expected a finite number > 1", order);
  // Sampling is post-processing of choosing who joins, so it never costs more than order/(2s²).
  const double unsampled = div_up(order, 2 * mul_down(noise_multiplier, noise_multiplier));
  constexpr double most_terms_of_a_sum = 4096;
  if (rate == 1 || order > most_terms_of_a_sum) return unsampled;
  // A curve need not be certain to the last bit: 30 bits, at most 1024 of work.
  for (long bits = 128;; bits *= 2) {
    const GaussianStep p(noise_multiplier, rate, order, bits);
    const bool whole = order == std::floor(order);
    const Interval moment = whole ? integer_order(p, static_cast<unsigned long>(order)) : any_order(p);
    const Interval divergence = log(moment) / (p.a - 1.0);
    if (divergence.certain_bits() >= 30 || bits >= 1024) return std::fmin(divergence.upper(), unsampled);
  }
}

}  // namespace tacit::inline v1
