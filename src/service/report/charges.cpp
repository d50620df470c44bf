#include "service/report/charges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tacit/core.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::service {

namespace {

// The charge with this id, and whose it is.
struct Found {
  const LedgerBudget* budget = nullptr;
  const LedgerCharge* charge = nullptr;
};

Found charge_of(const Ledger& ledger, const std::string& release) {
  for (const LedgerBudget& budget : ledger.budgets)
    for (const LedgerCharge& charge : budget.charges)
      if (charge.release == release) return {&budget, &charge};
  return {};
}

// The number that a sum of charges is about.
struct MainNumber {
  double operator()(const NoPrivacy&) const { return 0; }
  double operator()(const Pure& g) const { return g.epsilon; }
  double operator()(const Gaussian& g) const { return g.mu; }
  double operator()(const Zcdp& g) const { return g.rho; }
  double operator()(const Renyi& g) const { return g.epsilons.front(); }
  double operator()(const Approx& g) const { return g.epsilon; }
};

// Charged was what was asked for; what the steps came to may be a little less. Of two notions neither covers
// the other.
bool covers(const Guarantee& charged, const Guarantee& stated) {
  constexpr double room = 1 + 0x1p-40;  // as the ledger's own limits have
  const auto within = [](double part, double whole) { return part <= whole * room; };
  if (charged.index() != stated.index()) return false;
  if (const auto* approx = std::get_if<Approx>(&charged)) {
    const auto& told = std::get<Approx>(stated);
    return within(told.epsilon, approx->epsilon) && within(told.delta, approx->delta);
  }
  if (const auto* renyi = std::get_if<Renyi>(&charged)) {
    const auto& told = std::get<Renyi>(stated);
    return told.orders == renyi->orders && std::ranges::equal(told.epsilons, renyi->epsilons, within);
  }
  return within(std::visit(MainNumber{}, stated), std::visit(MainNumber{}, charged));
}

// As a fit is admitted to a ledger: a proof for replaced records may be one for records that become null.
bool goes_with(const LedgerTerms& terms, const Certificate& c) {
  if (terms.unit != c.unit) return false;
  if (terms.neighbours == c.neighbours) return true;
  const auto methods = tacit::methods();
  const auto method = std::ranges::find(methods, c.method, &Method::name);
  return terms.neighbours == Neighbours::zero_out && c.neighbours == Neighbours::replace_one &&
         method != methods.end() && covers_null(*method, c.options);
}

// Whose records a file says that it was made from, and whose the charge was for; empty: the same.
std::string other_group(const LedgerCharge& charge, const Facts& stated) {
  const std::string charged = charge.group ? charge.group->column + "=" + charge.group->value : "";
  const std::string told = stated.has("group_of") ? stated.text("group_of") : "";
  if (charged == told) return "";
  return fmt::format("it was charged for {}, but states {}",
                     charged.empty() ? "everybody" : "the group " + charged,
                     told.empty() ? "no group" : "the group " + told);
}

Charged looked_up(const Ledger& ledger, const Certificate& c) {
  if (!c.assumed_public.has("ledger_release")) return {.name = {}, .why_not = "it was charged to no ledger"};
  const auto [budget, charge] = charge_of(ledger, c.assumed_public.text("ledger_release"));
  if (charge == nullptr) return {.name = {}, .why_not = "its charge is not in this ledger"};
  if (!goes_with(ledger.terms, c))
    return {.name = budget->name,
            .why_not = fmt::format("it protects one {} under {}, and the ledger one {} under {}",
                                   record_or_user(c.unit), name(c.neighbours),
                                   record_or_user(ledger.terms.unit), name(ledger.terms.neighbours))};
  if (!covers(charge->asked, c.guarantee))
    return {.name = budget->name,
            .why_not = fmt::format("the charge that it names is for {}", in_words(charge->asked))};
  if (charge->method != c.method)
    return {.name = budget->name,
            .why_not = fmt::format("the charge that it names is for {}, and it states {}", charge->method,
                                   c.method)};
  return {.name = budget->name, .why_not = other_group(*charge, c.assumed_public)};
}

}  // namespace

std::vector<Charged> charged_to(const Ledger& ledger, const std::vector<Certificate>& certificates,
                                const std::vector<std::string>& digests) {
  std::vector<Charged> all;
  std::map<std::string, std::string> owners;  // digests by release
  for (std::size_t k = 0; k < certificates.size(); ++k) {
    Charged found = looked_up(ledger, certificates[k]);
    if (found.why_not.empty()) {
      const auto [owner, first] =
          owners.emplace(certificates[k].assumed_public.text("ledger_release"), digests[k]);
      if (!first && owner->second != digests[k])
        found.why_not = "another of these files names the same charge, and only one of them was made with it";
    }
    all.push_back(std::move(found));
  }
  return all;
}

std::string why_rounded(const Guarantee& spent) {
  const double exact = std::visit(MainNumber{}, spent);
  if (decimal_up(exact, 6) == fmt::format("{:.6g}", exact)) return "";
  return fmt::format(
      "A promise is rounded up, to six digits; the other numbers here are rounded to the nearest. The sum of "
      "the charges is {}. They are doubles, of which 0.1 is a little more than a tenth, and their sum is "
      "rounded up in its last digit; a limit holds to twelve digits.",
      exact);
}

std::string assumed_by(const Ledger& ledger) {
  const bool groups = std::ranges::any_of(ledger.budgets, [](const LedgerBudget& budget) {
    return std::ranges::any_of(budget.charges, [](const LedgerCharge& c) { return c.group.has_value(); });
  });
  return groups ? "groups of one column cost their largest sum, not all of them: a neighbour keeps the "
                  "column's value, the groups' sizes are public, and a record has the same value of the "
                  "column in every release"
                : "";
}

}  // namespace tacit::inline v1::service
