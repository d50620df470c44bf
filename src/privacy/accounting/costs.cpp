#include "privacy/accounting/costs.hpp"

#include <cmath>
#include <limits>
#include <string_view>

#include "core/interval.hpp"
#include "privacy/accounting/conversions.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// Randomised response, the worst eps-DP mechanism: (1/(a−1)) ln[cosh((a−1/2) eps) / cosh(eps/2)].
double randomised_response_renyi(double a, double epsilon) {
  return evaluate([&](long bits) {
           const Interval e(epsilon, bits), x = e * (Interval(a, bits) - 0.5), y = e / 2.0;
           const Interval ratio = (exp(x) + exp(-x)) / (exp(y) + exp(-y));
           return log(ratio) / (Interval(a, bits) - 1.0);
         })
      .upper();
}

// [Mironov 2017, Prop. 6]: (1/(a−1)) ln[ a/(2a−1) e^{(a−1) eps} + (a−1)/(2a−1) e^{−a eps} ].
double laplace_renyi(double a, double epsilon) {
  return evaluate([&](long bits) {
           const Interval order(a, bits), e(epsilon, bits), less = order - 1.0;
           const Interval sum = order * exp(less * e) + less * exp(-(order * e));
           return log(sum / (order * 2.0 - 1.0)) / less;
         })
      .upper();
}

// A notion says what each mechanism costs in it. `infinite` stands for "no finite cost".
constexpr double infinite = std::numeric_limits<double>::infinity();

struct PureNotion {
  std::string_view name = "pure";
  double pure(double epsilon) const { return epsilon; }
  double laplace(double epsilon) const { return epsilon; }
  double bounded_range(double epsilon) const { return epsilon; }
  double gaussian(double) const { return infinite; }
  double poisson_gaussian(const PoissonGaussianEvent&) const { return infinite; }
};

struct GaussianNotion {
  std::string_view name = "gaussian";
  double pure(double epsilon) const { return to_gaussian(Pure{epsilon}).mu; }
  double laplace(double epsilon) const { return pure(epsilon); }
  double bounded_range(double epsilon) const { return pure(epsilon); }
  double gaussian(double mu) const { return mu; }
  // sqrt(steps)/sigma: a sampled step is a mixture of the Gaussian mechanism and of no release, so the first
  // dominates it. No smaller mu holds: far in its tail a step is as the unsampled one, up to the factor
  // `rate`.
  double poisson_gaussian(const PoissonGaussianEvent& e) const {
    return div_up(sqrt_up(static_cast<double>(e.steps)), e.noise_multiplier);
  }
};

struct ZcdpNotion {
  std::string_view name = "zcdp";
  double pure(double epsilon) const { return to_zcdp(Pure{epsilon}).rho; }
  double laplace(double epsilon) const { return pure(epsilon); }
  double bounded_range(double epsilon) const { return bounded_range_to_zcdp(epsilon).rho; }
  double gaussian(double mu) const { return to_zcdp(Gaussian{mu}).rho; }
  double poisson_gaussian(const PoissonGaussianEvent& e) const {
    return gaussian(GaussianNotion{}.poisson_gaussian(e));
  }
};

struct RenyiNotion {
  double order;
  std::string_view name = "renyi";
  double pure(double epsilon) const { return randomised_response_renyi(order, epsilon); }
  double laplace(double epsilon) const { return laplace_renyi(order, epsilon); }
  double bounded_range(double epsilon) const {
    return std::fmin(mul_up(order, bounded_range_to_zcdp(epsilon).rho), pure(epsilon));
  }
  double gaussian(double mu) const { return mul_up(order, to_zcdp(Gaussian{mu}).rho); }
  double poisson_gaussian(const PoissonGaussianEvent& e) const {
    return mul_up(static_cast<double>(e.steps), poisson_gaussian_renyi(e.noise_multiplier, e.rate, order));
  }
};

template <class Notion>
struct Cost {
  Notion notion;

  double operator()(const PureEvent& e) const { return notion.pure(e.epsilon); }
  double operator()(const LaplaceEvent& e) const { return notion.laplace(e.epsilon); }
  // Only its epsilon is used: what the dimension gains is left out.
  double operator()(const IsotropicLaplaceEvent& e) const {
    return e.dimension == 1 ? notion.laplace(e.epsilon) : notion.pure(e.epsilon);
  }
  double operator()(const BoundedRangeEvent& e) const { return notion.bounded_range(e.epsilon); }
  double operator()(const GaussianEvent& e) const { return notion.gaussian(e.mu); }
  double operator()(const PoissonGaussianEvent& e) const { return notion.poisson_gaussian(e); }
  // A bound on the tail of its loss is all that is known: enough for approx, in which it is accounted.
  double operator()(const GaussianObjectiveEvent&) const { return infinite; }
  double operator()(const ApproxEvent& e) const { return e.delta > 0 ? infinite : notion.pure(e.epsilon); }
  double operator()(const DeltaEvent&) const { return infinite; }
  double operator()(const OpenEvent&) const { return infinite; }
};

template <class Notion>
double cost(const Event& event, const Notion& notion) {
  validate(event);
  if (is_free(event)) return 0;
  const double value = std::visit(Cost<Notion>{notion}, event);
  if (std::isinf(value))
    throw_error<UsageError>("{} has no {} guarantee, so it cannot be charged to a {} budget", describe(event),
                            notion.name, notion.name);
  return value;
}

}  // namespace

double pure_cost(const Event& event) { return cost(event, PureNotion{}); }
double gaussian_cost(const Event& event) { return cost(event, GaussianNotion{}); }
double zcdp_cost(const Event& event) { return cost(event, ZcdpNotion{}); }
double renyi_cost(const Event& event, double order) { return cost(event, RenyiNotion{order}); }

}  // namespace tacit::inline v1
