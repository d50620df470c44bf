#include "privacy/nested_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "privacy/accounting/costs.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// Number by number, for two events of one kind. A sampled Gaussian costs more at a larger rate too, but one
// with another rate is another plan.
struct WithinSame {
  const Event& limit;

  template <class E>
  bool operator()(const E& event) const {
    const E& most = std::get<E>(limit);
    if constexpr (std::is_same_v<E, PoissonGaussianEvent>)
      return event.noise_multiplier >= most.noise_multiplier && event.rate == most.rate &&
             event.steps <= most.steps;
    else if constexpr (std::is_same_v<E, OpenEvent>)
      return true;
    else
      return number_by_number(event, most);
  }

  template <class E>
  static bool number_by_number(const E& event, const E& most) {
    bool fits = true;
    if constexpr (requires { event.epsilon; }) fits = fits && event.epsilon <= most.epsilon;
    if constexpr (requires { event.delta; }) fits = fits && event.delta <= most.delta;
    if constexpr (requires { event.mu; }) fits = fits && event.mu <= most.mu;
    if constexpr (requires { event.dimension; }) fits = fits && event.dimension == most.dimension;
    if constexpr (requires { event.jacobian; })
      fits = fits && event.jacobian <= most.jacobian && event.far <= most.far && event.near <= most.near;
    return fits;
  }
};

bool is_pure(const Event& event) {
  return std::holds_alternative<PureEvent>(event) || std::holds_alternative<LaplaceEvent>(event) ||
         std::holds_alternative<IsotropicLaplaceEvent>(event) ||
         std::holds_alternative<BoundedRangeEvent>(event);
}

std::vector<Event> taken(const std::vector<Step>& steps) {
  std::vector<Event> events;
  for (const Step& step : steps) events.insert(events.end(), step.times, step.event);
  return events;
}

// The root of the sum of squares [Dong–Roth–Su 2022, Cor. 3.3]; of one mu, taken n times, mu·√n is as true
// and may round to less.
double composed_mu(const std::vector<Step>& steps) {
  double squares = 0;
  for (const Step& step : steps) {
    const double mu = gaussian_cost(step.event);
    const double some = mul_up(static_cast<double>(step.times), mul_up(mu, mu));
    squares = squares == 0 ? some : add_up(squares, some);
  }
  const double root = sqrt_up(squares);
  if (steps.size() > 1) return root;
  return std::min(root, mul_up(gaussian_cost(steps[0].event), sqrt_up(static_cast<double>(steps[0].times))));
}

bool keeps(const std::vector<Step>& steps, const Guarantee& limit) {
  return fits(compose(taken(steps), limit), limit);
}

struct Covers {
  const Step& step;

  bool operator()(const Composed&) const {
    if (step.inner.size() == 1 && step.inner[0].times == 1) return within(step.inner[0].event, step.event);
    if (const auto* pure = std::get_if<PureEvent>(&step.event)) return keeps(step.inner, Pure{pure->epsilon});
    if (const auto* gaussian = std::get_if<GaussianEvent>(&step.event))
      return composed_mu(step.inner) <= gaussian->mu;
    if (const auto* approx = std::get_if<ApproxEvent>(&step.event))
      return keeps(step.inner, Approx{approx->epsilon, approx->delta});
    return false;
  }
  bool operator()(const Parallel&) const { return each_within(); }
  bool operator()(const OneOf&) const { return each_within(); }
  bool operator()(const Sampled& sampled) const {
    if (step.inner.size() != 1 || step.inner[0].times != 1) return false;
    const auto* on_sample = std::get_if<ApproxEvent>(&step.inner[0].event);
    return on_sample != nullptr &&
           within(amplified({on_sample->epsilon, on_sample->delta}, sampled.rate), step.event);
  }
  bool operator()(const Group& group) const {
    const auto* user = std::get_if<ApproxEvent>(&step.event);
    return user != nullptr && keeps(step.inner, item_target({user->epsilon, user->delta}, group.records));
  }
  bool operator()(const RepeatAndSelect&) const {
    if (step.inner.size() != 1 || step.inner[0].times != 1) return false;
    const auto* run = std::get_if<PureEvent>(&step.inner[0].event);
    return run != nullptr && within(PureEvent{2 * run->epsilon}, step.event);  // doubling is exact
  }

  bool each_within() const {
    return std::ranges::all_of(step.inner, [&](const Step& part) { return within(part.event, step.event); });
  }
};

void require_theorem(const Nesting& nesting, Neighbours neighbours) {
  if (std::holds_alternative<Parallel>(nesting) && neighbours == Neighbours::add_remove)
    throw_error<UsageError>("disjoint parts of a secret order need a public number of units, not add_remove");
  if (const auto* sampled = std::get_if<Sampled>(&nesting)) {
    if (neighbours != Neighbours::replace_one)
      throw_error<UsageError>("samples without replacement are accounted for replace_one, not for {}",
                              name(neighbours));
    if (!(sampled->rate > 0 && sampled->rate <= 1))
      throw_error<UsageError>("a sampling rate is {}, expected above 0 and at most 1", sampled->rate);
  }
}

}  // namespace

bool within(const Event& event, const Event& limit) {
  if (event.index() == limit.index()) return std::visit(WithinSame{limit}, event);
  if (const auto* pure = std::get_if<PureEvent>(&limit))
    return is_pure(event) && pure_cost(event) <= pure->epsilon;
  if (const auto* approx = std::get_if<ApproxEvent>(&limit))
    return is_pure(event) && pure_cost(event) <= approx->epsilon;
  return false;
}

void require_covered(const Step& step, Neighbours neighbours) {
  if (step.inner.empty()) return;
  require_theorem(step.nesting, neighbours);
  for (std::size_t k = 0; k < step.inner.size(); ++k) {
    const Step& part = step.inner[k];
    validate(part.event);
    require_stated_for(part.event, neighbours);
    if (part.times == 0) throw_error<UsageError>("the step \"{}\" is planned 0 times", part.mechanism);
    if (k == 0 || part != step.inner[k - 1]) require_covered(part, neighbours);
  }
  if (!std::visit(Covers{step}, step.nesting))
    throw_error<BudgetError>("the steps within \"{}\" cost more than is charged for it; nothing was released",
                             step.mechanism);
}

ApproxEvent amplified(const Approx& step, double rate) {
  return {log1p_up(mul_up(rate, library_up(std::expm1(step.epsilon)))), mul_up(rate, step.delta)};
}

Approx item_target(const Approx& user, std::uint64_t records) {
  validate(Guarantee(user));
  if (records < 1) throw_error<UsageError>("a group has 0 records, expected at least 1");
  const double k = static_cast<double>(records), epsilon = div_down(user.epsilon, k),
               all = mul_up(epsilon, k);
  // (e^{ε'} − 1)/(e^{kε'} − 1) = e^{−(k−1)ε'}·(1 − e^{−ε'})/(1 − e^{−kε'}): e^{kε'} may be beyond all
  // doubles. For k = 1 it is 1.
  const double others = records == 1 ? 0.0 : mul_up(epsilon, k - 1);
  const double share = div_down(library_down(-std::expm1(-epsilon)), library_up(-std::expm1(-all)));
  const double delta = mul_down(user.delta, mul_down(exp_down(-others), share));
  if (!(delta >= std::numeric_limits<double>::min()))
    throw_error<InfeasibleError>(
        "epsilon {} and delta {} for groups of {} records leave each record a delta below {:.1e}, the least "
        "that can be computed with; expected a smaller epsilon, fewer records-per-user, or user-sgd",
        user.epsilon, user.delta, records, std::numeric_limits<double>::min());
  return {epsilon, delta};
}

}  // namespace tacit::inline v1
