#include "privacy/accounting/conversions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/interval.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

Zcdp to_zcdp(const Pure& pure) {
  if (!(pure.epsilon >= 0)) throw_error<UsageError>("epsilon is {}, expected >= 0", pure.epsilon);
  const double tanh_up = std::fmin(library_up(std::tanh(pure.epsilon / 2)), 1.0);
  return {mul_up(pure.epsilon, tanh_up)};
}

Zcdp to_zcdp(const Gaussian& gaussian) {
  if (!(gaussian.mu >= 0)) throw_error<UsageError>("mu is {}, expected >= 0", gaussian.mu);
  return {mul_up(gaussian.mu, gaussian.mu) / 2};
}

Zcdp bounded_range_to_zcdp(double epsilon) {
  return {std::min(mul_up(epsilon, epsilon) / 8, to_zcdp(Pure{epsilon}).rho)};
}

namespace {

void check_delta(double delta) {
  if (!(delta > 0 && delta < 1)) throw_error<UsageError>("delta is {}, expected 0 < delta < 1", delta);
}

// eps = r + (ln(1/delta) + (a−1) ln(1−1/a) − ln a) / (a−1), rounded up. A negative one means that 0 would do.
double epsilon_at_order(const Interval& a, const Interval& divergence, double delta) {
  const Interval less_one = a - 1.0;
  const Interval numerator = -log(Interval(delta, a.bits())) + less_one * (log(less_one) - log(a)) - log(a);
  return std::fmax((divergence + numerator / less_one).upper(), 0.0);
}

constexpr long order_bits = 192;  // room for orders within 1e-30 of 1

}  // namespace

Approx to_approx(const Renyi& renyi, double delta) {
  check_delta(delta);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < renyi.orders.size(); ++k)
    best = std::fmin(best, epsilon_at_order(Interval(renyi.orders[k], order_bits),
                                            Interval(renyi.epsilons[k], order_bits), delta));
  return {best, delta};
}

Approx to_approx(const Zcdp& zcdp, double delta) {
  check_delta(delta);
  if (!(zcdp.rho >= 0)) throw_error<UsageError>("rho is {}, expected >= 0", zcdp.rho);
  if (zcdp.rho == 0) return {0, delta};
  const auto epsilon = [&](double log_order_less_one) {
    const Interval a = Interval(std::exp(log_order_less_one), order_bits) + 1.0;
    return epsilon_at_order(a, a * zcdp.rho, delta);
  };
  // Any order is valid, so the search need not be exact: a golden section around the minimiser of the leading
  // terms, (a−1) rho + ln(1/delta)/(a−1).
  const double center = std::log(-std::log(delta) / zcdp.rho) / 2;
  double low = center - 6, high = center + 6;
  constexpr double golden = 0.6180339887498949;
  while (high - low > 1e-6) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    if (epsilon(left) <= epsilon(right))
      high = right;
    else
      low = left;
  }
  return {epsilon((low + high) / 2), delta};
}

namespace {

struct ReplaceOne {
  Guarantee operator()(const NoPrivacy& g) const { return g; }
  Guarantee operator()(const Pure& g) const { return Pure{2 * g.epsilon}; }
  Guarantee operator()(const Gaussian& g) const { return Gaussian{2 * g.mu}; }
  Guarantee operator()(const Zcdp& g) const { return Zcdp{4 * g.rho}; }
  Guarantee operator()(const Approx& g) const {
    const double factor = add_up(1, exp_up(g.epsilon));  // 0, of what a ledger has spent, stays 0
    return Approx{2 * g.epsilon, g.delta == 0 ? 0 : std::fmin(mul_up(factor, g.delta), 1.0)};
  }
  Guarantee operator()(const Renyi& g) const {
    Renyi twice;
    for (std::size_t k = 0; k < g.orders.size(); ++k) {
      if (g.orders[k] < 4) continue;
      twice.orders.push_back(g.orders[k] / 2);
      twice.epsilons.push_back(mul_up(3, g.epsilons[k]));
    }
    if (twice.orders.empty())
      throw_error<UsageError>("a Renyi curve without an order >= 4 says nothing about replace_one");
    return twice;
  }
};

}  // namespace

Guarantee to_replace_one(const Guarantee& guarantee, Neighbours from) {
  return from == Neighbours::replace_one ? guarantee : std::visit(ReplaceOne{}, guarantee);
}

}  // namespace tacit::inline v1
