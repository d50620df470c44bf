#include "tacit/account.hpp"

#include <algorithm>
#include <cmath>

#include "privacy/accounting/costs.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// The sum, rounded up. A single cost stays exactly what it is, so that a step planned to use a whole budget
// fits.
template <class Cost>
double sum_up(std::span<const Event> events, Cost cost) {
  double total = 0;
  for (const Event& event : events) {
    const double next = cost(event);
    if (next != 0) total = total == 0 ? next : add_up(total, next);
  }
  return total;
}

double root_of_squares(std::span<const Event> events) {
  double only = 0, squares = 0;
  for (const Event& event : events) {
    const double mu = gaussian_cost(event);
    if (mu == 0) continue;
    only = squares == 0 ? mu : 0;
    squares = add_up(squares, mul_up(mu, mu));
  }
  return only != 0 ? only : squares == 0 ? 0 : sqrt_up(squares);
}

struct Compose {
  std::span<const Event> events;

  Guarantee operator()(const NoPrivacy&) const { return NoPrivacy{}; }
  Guarantee operator()(const Pure&) const { return Pure{sum_up(events, pure_cost)}; }
  Guarantee operator()(const Gaussian&) const { return Gaussian{root_of_squares(events)}; }
  Guarantee operator()(const Zcdp&) const { return Zcdp{sum_up(events, zcdp_cost)}; }
  Guarantee operator()(const Renyi& target) const {
    Renyi curve{.orders = target.orders, .epsilons = {}};
    for (const double order : target.orders)
      curve.epsilons.push_back(sum_up(events, [&](const Event& e) { return renyi_cost(e, order); }));
    return curve;
  }
  Guarantee operator()(const Approx& target) const {
    return Approx{account(events, target.delta).epsilon_upper, target.delta};
  }
};

struct Fits {
  const Guarantee& spent;

  bool operator()(const NoPrivacy&) const { return true; }
  bool operator()(const Pure& limit) const { return std::get<Pure>(spent).epsilon <= limit.epsilon; }
  bool operator()(const Gaussian& limit) const { return std::get<Gaussian>(spent).mu <= limit.mu; }
  bool operator()(const Zcdp& limit) const { return std::get<Zcdp>(spent).rho <= limit.rho; }
  bool operator()(const Renyi& limit) const {
    const auto& curve = std::get<Renyi>(spent);
    return curve.orders == limit.orders &&
           std::ranges::equal(curve.epsilons, limit.epsilons, std::less_equal{});
  }
  bool operator()(const Approx& limit) const {
    const auto& approx = std::get<Approx>(spent);
    return approx.epsilon <= limit.epsilon && approx.delta <= limit.delta;
  }
};

}  // namespace

Guarantee compose(std::span<const Event> events, const Guarantee& target) {
  return std::visit(Compose{events}, target);
}

namespace {

// The weaker of two guarantees of one notion.
struct Weaker {
  const Guarantee& other;

  Guarantee operator()(const NoPrivacy& g) const { return g; }
  Guarantee operator()(const Pure& g) const {
    return Pure{std::max(g.epsilon, std::get<Pure>(other).epsilon)};
  }
  Guarantee operator()(const Gaussian& g) const {
    return Gaussian{std::max(g.mu, std::get<Gaussian>(other).mu)};
  }
  Guarantee operator()(const Zcdp& g) const { return Zcdp{std::max(g.rho, std::get<Zcdp>(other).rho)}; }
  Guarantee operator()(Renyi g) const {
    const auto& epsilons = std::get<Renyi>(other).epsilons;
    for (std::size_t k = 0; k < epsilons.size(); ++k) g.epsilons[k] = std::max(g.epsilons[k], epsilons[k]);
    return g;
  }
  Guarantee operator()(const Approx& g) const {
    const auto& approx = std::get<Approx>(other);
    return Approx{std::max(g.epsilon, approx.epsilon), std::max(g.delta, approx.delta)};
  }
};

}  // namespace

Guarantee compose_parallel(std::span<const std::vector<Event>> parts, const Guarantee& target) {
  Guarantee worst = compose({}, target);
  for (const std::vector<Event>& part : parts) {
    const Guarantee next = compose(part, target);
    worst = std::visit(Weaker{worst}, next);
  }
  return worst;
}

bool fits(const Guarantee& spent, const Guarantee& limit) {
  if (!std::holds_alternative<NoPrivacy>(limit) && spent.index() != limit.index())
    throw_error<UsageError>("{} privacy cannot be compared with a budget of {} privacy", notion(spent),
                            notion(limit));
  return std::visit(Fits{spent}, limit);
}

}  // namespace tacit::inline v1
