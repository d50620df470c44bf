#include "privacy/accounting/composition.hpp"

#include <algorithm>
#include <cmath>

#include "privacy/accounting/costs.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

namespace {

// The largest number on the grid that is not above epsilon; epsilon itself when it is as good as on it.
double onto_grid(double epsilon, double step) {
  const double nearest = std::nearbyint(epsilon / step) * step;
  if (std::fabs(nearest - epsilon) <= 5e-7 * step) return epsilon;
  return std::floor(epsilon / step) * step;
}

struct MakeLaw {
  Direction direction;
  Side side;
  double step;

  using Law = std::unique_ptr<LossLaw>;
  double epsilon(double value) const { return side == Side::above ? value : onto_grid(value, step); }

  Law operator()(const PureEvent& e) const { return randomised_response(epsilon(e.epsilon), 0); }
  Law operator()(const LaplaceEvent& e) const {
    const double value = epsilon(e.epsilon);
    return value > 0 ? laplace(value) : randomised_response(0, 0);
  }
  // In more than one dimension the epsilon is all that is used; below, nothing.
  Law operator()(const IsotropicLaplaceEvent& e) const {
    if (e.dimension == 1) return (*this)(LaplaceEvent{e.epsilon});
    return randomised_response(side == Side::above ? e.epsilon : 0, 0);
  }
  // Below, one member of the family: loss eps/2 or −eps/2.
  Law operator()(const BoundedRangeEvent& e) const {
    return side == Side::above ? bounded_range(e.epsilon) : randomised_response(epsilon(e.epsilon / 2), 0);
  }
  Law operator()(const GaussianEvent& e) const {
    return sampled_gaussian(side == Side::above ? div_down(1, e.mu) : div_up(1, e.mu), 1, Direction::remove);
  }
  Law operator()(const PoissonGaussianEvent& e) const {
    return sampled_gaussian(e.noise_multiplier, e.rate, direction);
  }
  // Below, one member of the family: a loss that is linear, which makes it a Gaussian mechanism.
  Law operator()(const GaussianObjectiveEvent& e) const {
    return side == Side::above ? gaussian_objective(e) : (*this)(GaussianEvent{e.mu});
  }
  Law operator()(const ApproxEvent& e) const { return randomised_response(epsilon(e.epsilon), e.delta); }
  // An event of another step's noise may go with what that step shows: what it hides is added to the rest, of
  // which it takes nothing away.
  Law operator()(const DeltaEvent& e) const {
    return side == Side::above ? failure_beside(e.delta) : randomised_response(0, e.delta);
  }
  Law operator()(const OpenEvent&) const {
    throw_error<UsageError>("an open release has no privacy to account for");
  }
};

}  // namespace

Composition::Composition(std::span<const Event> events) {
  for (const Event& event : events) {
    validate(event);
    if (std::holds_alternative<OpenEvent>(event))
      throw_error<UsageError>(
          "an open release has no approx guarantee, so it cannot be charged to an approx budget");
    if (!is_free(event)) add(event);
  }
  mu_ = mu_ == 0 ? 0 : sqrt_up(mu_);
  mu_below_ = sqrt_down(mu_below_);
}

// (mu_ and mu_below_ hold sums of squares until the constructor ends.)
void Composition::add(const Event& event) {
  const auto* sampled = std::get_if<PoissonGaussianEvent>(&event);
  if (std::holds_alternative<GaussianEvent>(event) || (sampled != nullptr && sampled->rate == 1)) {
    const double mu = gaussian_cost(event);
    mu_ = add_up(mu_, mul_up(mu, mu));
    mu_below_ = add_down(mu_below_, mul_down(mu, mu) * (1 - 8 * unit_roundoff));
    return;
  }
  if (sampled != nullptr) symmetric_ = false;
  const auto* isotropic = std::get_if<IsotropicLaplaceEvent>(&event);
  if (std::holds_alternative<BoundedRangeEvent>(event) ||
      std::holds_alternative<GaussianObjectiveEvent>(event) ||
      (isotropic != nullptr && isotropic->dimension > 1))
    tight_below_ = false;
  Term term{event, 1};
  if (sampled != nullptr) {
    term.count = static_cast<double>(sampled->steps);
    std::get<PoissonGaussianEvent>(term.event).steps = 1;
  }
  auto same = std::ranges::find(terms_, term.event, &Term::event);
  if (same == terms_.end())
    same = terms_.insert(same, term);
  else
    same->count += term.count;
  constexpr double most_steps = 0x1p52;  // up to which counts are exact
  if (same->count > most_steps) throw_error<UsageError>("more than 2^52 steps cannot be accounted for");
}

double Composition::sum_of_epsilons() const {
  if (mu_ > 0) return infinity;
  double total = 0;
  for (const Term& term : terms_) {
    if (std::holds_alternative<PoissonGaussianEvent>(term.event) ||
        std::holds_alternative<GaussianObjectiveEvent>(term.event))
      return infinity;
    if (std::holds_alternative<DeltaEvent>(term.event)) continue;
    const auto* approx = std::get_if<ApproxEvent>(&term.event);
    const double cost = approx != nullptr ? approx->epsilon : pure_cost(term.event);
    const double product = term.count == 1 ? cost : mul_up(term.count, cost);
    total = total == 0 ? product : add_up(total, product);
  }
  return total;
}

namespace {
double delta_of(const Event& event) {
  if (const auto* approx = std::get_if<ApproxEvent>(&event)) return approx->delta;
  if (const auto* failure = std::get_if<DeltaEvent>(&event)) return failure->delta;
  return 0;
}
}  // namespace

double Composition::failure() const {
  double sum = 0;
  for (const Term& term : terms_) {
    const double delta = term.count == 1 ? delta_of(term.event) : mul_up(term.count, delta_of(term.event));
    if (delta > 0) sum = sum == 0 ? delta : add_up(sum, delta);
  }
  return std::fmin(sum, 1.0);
}

double Composition::failure_below() const {
  double log_success = 0;
  for (const Term& term : terms_) log_success += term.count * std::log1p(-delta_of(term.event));
  return std::fmax(-std::expm1(log_success) * (1 - 1e-12), 0.0);
}

Composition::Laws Composition::laws(Direction direction, Side side, double step) const {
  Laws result;
  const MakeLaw make{direction, side, step};
  const auto push = [&](const Event& event, double count) {
    result.laws.push_back(std::visit(make, event));
    result.counts.push_back(count);
  };
  if (mu_ > 0) push(GaussianEvent{side == Side::above ? mu_ : mu_below_}, 1);
  for (const Term& term : terms_) push(term.event, term.count);
  return result;
}

}  // namespace tacit::inline v1::pld
