#include "ledger/filter.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/bisect.hpp"
#include "ledger/parts.hpp"
#include "privacy/accounting/conversions.hpp"
#include "privacy/accounting/costs.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// Limits and epsilons are typed in decimal: 0.1 as a double is a little more than a tenth, and ten of them
// are more than 1. A limit is kept to within this relative excess, so that what fits on paper fits here.
// spent() hides nothing of it. [ours, docs/ledger.md]
constexpr double decimal_room = 0x1p-40;

double with_room(double limit) { return mul_up(limit, 1 + decimal_room); }

// a + b − fl(a + b), which is a double itself [Knuth, TAOCP 2, 4.2.2, Thm B].
double addition_error(double a, double b) {
  const double sum = a + b, b_part = sum - a;
  return (a - (sum - b_part)) + (b - b_part);
}

// Unlike add_up and sub_down these return an exact result as it is: four times 0.25 is 1.
double sum_rounded_up(double a, double b) { return addition_error(a, b) > 0 ? next_up(a + b) : a + b; }
double difference_rounded_down(double a, double b) {
  return addition_error(a, -b) < 0 ? next_down(a - b) : a - b;
}

// Gaussian DP adds squares; every other accountant adds its numbers.
bool adds_squares(const Guarantee& limit) { return std::holds_alternative<Gaussian>(limit); }

void require_ascending(const Renyi& curve) {
  if (!std::isfinite(curve.orders.back()) || !std::ranges::is_sorted(curve.orders, std::less_equal{}))
    throw_error<UsageError>("the orders of a Renyi curve must be finite and ascending");
}

// The smallest stated order that covers the one asked for: the Rényi divergence grows with its order.
double epsilon_at(const Renyi& curve, double order) {
  require_ascending(curve);
  const auto it = std::ranges::lower_bound(curve.orders, order);
  if (it == curve.orders.end())
    throw_error<UsageError>("the release states no Renyi order >= {}, which the ledger's limit has", order);
  return curve.epsilons[static_cast<std::size_t>(it - curve.orders.begin())];
}

// One overload per conversion that exists; `nullopt` where none does.
struct Convert {
  std::optional<Guarantee> operator()(const Pure& g, const Pure&) const { return g; }

  std::optional<Guarantee> operator()(const Pure& g, const Gaussian&) const { return to_gaussian(g); }
  std::optional<Guarantee> operator()(const Gaussian& g, const Gaussian&) const { return g; }

  std::optional<Guarantee> operator()(const Pure& g, const Zcdp&) const { return to_zcdp(g); }
  std::optional<Guarantee> operator()(const Gaussian& g, const Zcdp&) const { return to_zcdp(g); }
  std::optional<Guarantee> operator()(const Zcdp& g, const Zcdp&) const { return g; }

  std::optional<Guarantee> operator()(const Pure& g, const Renyi& limit) const {
    return at_orders(limit, [&](double order) { return renyi_cost(PureEvent{g.epsilon}, order); });
  }
  std::optional<Guarantee> operator()(const Gaussian& g, const Renyi& limit) const {
    return at_orders(limit, [&](double order) { return renyi_cost(GaussianEvent{g.mu}, order); });
  }
  std::optional<Guarantee> operator()(const Zcdp& g, const Renyi& limit) const {
    return at_orders(limit, [&](double order) { return mul_up(order, g.rho); });
  }
  std::optional<Guarantee> operator()(const Renyi& g, const Renyi& limit) const {
    return at_orders(limit, [&](double order) { return epsilon_at(g, order); });
  }

  std::optional<Guarantee> operator()(const Pure& g, const Approx&) const { return Approx{g.epsilon, 0}; }
  std::optional<Guarantee> operator()(const Approx& g, const Approx&) const { return g; }

  template <class From, class To>
  std::optional<Guarantee> operator()(const From&, const To&) const {
    return std::nullopt;
  }

 private:
  template <class Epsilon>
  static Guarantee at_orders(const Renyi& limit, Epsilon epsilon) {
    Renyi curve{.orders = limit.orders, .epsilons = {}};
    for (const double order : limit.orders) curve.epsilons.push_back(epsilon(order));
    return curve;
  }
};

// The largest x, to 12 digits, such that even with_room(x) implies the stated (epsilon, delta).
template <class Implies>
double largest(const Approx& stated, Implies implies) {
  const auto too_much = [&](double x) { return !implies(with_room(x)); };
  double high = 1;
  while (!too_much(high) && high < 1e12) high *= 2;
  const double low = bisect(0, high, 1e-12, too_much).last_false;
  if (!(low > 0) || !too_much(high))
    throw_error<UsageError>("this accountant has no limit that implies epsilon = {}, delta = {}",
                            stated.epsilon, stated.delta);
  return low;
}

}  // namespace

Guarantee limit_in(std::string_view accountant, const Guarantee& limit) {
  validate(limit);
  if (const auto* curve = std::get_if<Renyi>(&limit)) require_ascending(*curve);
  if (notion(limit) == accountant) return limit;
  if (const auto* stated = std::get_if<Approx>(&limit)) {
    if (accountant == "zcdp")
      return Zcdp{largest(*stated, [&](double rho) {
        return to_approx(Zcdp{rho}, stated->delta).epsilon <= stated->epsilon;
      })};
    if (accountant == "gaussian")
      return Gaussian{
          largest(*stated, [&](double mu) { return gaussian_keeps(mu, stated->epsilon, stated->delta); })};
  }
  throw_error<UsageError>("a ledger of the accountant {} cannot have a {} limit", accountant, notion(limit));
}

Guarantee amount_in(const Guarantee& asked, const Guarantee& limit) {
  validate(asked);
  if (std::holds_alternative<NoPrivacy>(asked))
    throw_error<UsageError>("a release without privacy cannot be charged to a ledger");
  std::optional<Guarantee> amount = std::visit(Convert{}, asked, limit);
  if (!amount)
    throw_error<UsageError>(
        "{0} privacy has no finite cost in this ledger, which adds up {1} guarantees; ask for {1} privacy, "
        "or "
        "create a ledger with the accountant {0}",
        notion(asked), notion(limit));
  return *amount;
}

void SumUp::add(double x) {
  const double error = addition_error(high, x);
  if (error != 0) low = add_up(low, error);
  high += x;
}

double SumUp::value() const { return std::isinf(high) ? high : sum_rounded_up(high, low); }

Tally::Tally(Guarantee limit) : limit_(std::move(limit)), sums_(parts_of(limit_).size()) {}

std::optional<Tally> Tally::stored(Guarantee limit, std::uint64_t count, std::vector<SumUp> sums,
                                   std::optional<Guarantee> only) {
  Tally tally(std::move(limit));
  const auto makes_sense = [](const SumUp& sum) { return sum.high >= 0 && std::isfinite(sum.low); };
  if (sums.size() != tally.sums_.size() || !std::ranges::all_of(sums, makes_sense) ||
      only.has_value() != (count == 1) || (only && only->index() != tally.limit_.index()))
    return std::nullopt;
  tally.count_ = count;
  tally.sums_ = std::move(sums);
  tally.only_ = std::move(only);
  return tally;
}

void Tally::add(const Guarantee& amount) {
  const std::vector<Part> parts = parts_of(amount);
  for (std::size_t k = 0; k < sums_.size(); ++k)
    sums_[k].add(adds_squares(limit_) ? mul_up(parts[k].value, parts[k].value) : parts[k].value);
  only_ = ++count_ == 1 ? std::optional(amount) : std::nullopt;
}

Guarantee Tally::spent() const {
  if (only_) return *only_;
  std::vector<Part> parts = parts_of(limit_);
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    const double sum = sums_[k].value();
    parts[k].value = adds_squares(limit_) && sum > 0 ? sqrt_up(sum) : sum;
  }
  return from_parts(notion(limit_), parts).value();
}

bool Tally::admits(const Guarantee& amount) const {
  Tally with = *this;
  with.add(amount);
  return with.keeps_limit();
}

bool Tally::keeps_limit() const {
  return std::ranges::equal(parts_of(spent()), parts_of(limit_), [](const Part& used, const Part& allowed) {
    return used.order == allowed.order && std::isfinite(used.value) && used.value <= with_room(allowed.value);
  });
}

Guarantee Tally::left() const {
  const std::vector<Part> used = parts_of(spent());
  std::vector<Part> parts = parts_of(limit_);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (used[k].value == 0) continue;
    const double limit = parts[k].value, gone = used[k].value;
    const double rest = adds_squares(limit_) ? sqrt_down(sub_down(mul_down(limit, limit), mul_up(gone, gone)))
                                             : difference_rounded_down(limit, gone);
    parts[k].value = std::max(rest, 0.0);
  }
  return from_parts(notion(limit_), parts).value();
}

Tally& tally_of(std::vector<GroupTally>& groups, const LedgerGroup& group, const Guarantee& limit) {
  const auto found = std::ranges::find(groups, group, &GroupTally::group);
  if (found != groups.end()) return found->tally;
  groups.push_back({group, Tally(limit)});
  return groups.back().tally;
}

Tally with_groups(Tally everybody, const std::vector<GroupTally>& groups) {
  std::map<std::string, std::vector<Part>> dearest;  // by column
  for (const GroupTally& group : groups) {
    const std::vector<Part> parts = parts_of(group.tally.spent());
    std::vector<Part>& most = dearest.try_emplace(group.group.column, parts).first->second;
    for (std::size_t k = 0; k < parts.size(); ++k) most[k].value = std::max(most[k].value, parts[k].value);
  }
  for (const auto& [column, parts] : dearest)
    everybody.add(from_parts(notion(everybody.spent()), parts).value());
  return everybody;
}

namespace {

Tally tally_of(const LedgerBudget& budget) {
  Tally everybody(budget.limit);
  std::vector<GroupTally> groups;
  for (const LedgerCharge& charge : budget.charges)
    (charge.group ? tally_of(groups, *charge.group, budget.limit) : everybody).add(charge.amount);
  return with_groups(std::move(everybody), groups);
}

}  // namespace

Guarantee spent(const LedgerBudget& budget) { return tally_of(budget).spent(); }
Guarantee left(const LedgerBudget& budget) { return tally_of(budget).left(); }

}  // namespace tacit::inline v1
