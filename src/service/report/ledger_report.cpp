#include <nlohmann/json.hpp>

#include "privacy/accounting/conversions.hpp"
#include "service/report/charges.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/service.hpp"

namespace tacit::inline v1::service {

namespace {

using Json = nlohmann::ordered_json;

struct Write {
  Json operator()(const NoPrivacy&) const { return {{"notion", "none"}}; }
  Json operator()(const Pure& g) const { return {{"notion", "pure"}, {"epsilon", g.epsilon}}; }
  Json operator()(const Gaussian& g) const { return {{"notion", "gaussian"}, {"mu", g.mu}}; }
  Json operator()(const Zcdp& g) const { return {{"notion", "zcdp"}, {"rho", g.rho}}; }
  Json operator()(const Renyi& g) const {
    return {{"notion", "renyi"}, {"orders", g.orders}, {"epsilons", g.epsilons}};
  }
  Json operator()(const Approx& g) const {
    return {{"notion", "approx"}, {"epsilon", g.epsilon}, {"delta", g.delta}};
  }
};
Json to_json(const Guarantee& guarantee) { return std::visit(Write{}, guarantee); }

// What was spent as an (epsilon, delta), where the limit was stated as one.
std::optional<Approx> spent_as_stated(const LedgerBudget& budget) {
  if (!budget.stated) return std::nullopt;
  const Guarantee so_far = spent(budget);
  if (const auto* rho = std::get_if<Zcdp>(&so_far)) return to_approx(*rho, budget.stated->delta);
  if (budget.charges.empty()) return Approx{0, budget.stated->delta};
  return to_approx(std::get<Gaussian>(so_far), budget.stated->delta);
}

Json to_json(const LedgerBudget& budget) {
  Json json{{"name", budget.name},
            {"limit", to_json(budget.limit)},
            {"spent", to_json(spent(budget))},
            {"left", to_json(left(budget))}};
  if (const auto so_far = spent_as_stated(budget)) {
    json["stated_limit"] = to_json(*budget.stated);
    json["spent_as_stated"] = to_json(*so_far);
  }
  json["charges"] = Json::array();
  for (const LedgerCharge& charge : budget.charges) {
    json["charges"].push_back({{"release", charge.release},
                               {"time", charge.time},
                               {"method", charge.method},
                               {"guarantee", to_json(charge.asked)},
                               {"amount", to_json(charge.amount)}});
    if (charge.group)
      json["charges"].back()["group"] = {{"column", charge.group->column}, {"value", charge.group->value}};
    if (charge.ticket) json["charges"].back()["unfinished"] = true;
  }
  return json;
}

}  // namespace

namespace {

Json all(const char* format, const Ledger& ledger, std::optional<std::uint64_t> failed) {
  Json json{{"format", format},
            {"version", 2},
            {"unit", name(ledger.terms.unit)},
            {"neighbours", name(ledger.terms.neighbours)},
            {"accountant", ledger.terms.accountant},
            {"created", ledger.created}};
  if (failed) json["failed_reads"] = *failed;
  json["budgets"] = Json::array();
  for (const LedgerBudget& budget : ledger.budgets) json["budgets"].push_back(to_json(budget));
  if (const std::string assumed = assumed_by(ledger); !assumed.empty())
    json["assumptions"] = Json::array({assumed});
  return json;
}

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string ledger_json(const Ledger& ledger) { return dumped(all("tacit-ledger", ledger, std::nullopt)); }

std::string exported_ledger_json(const std::filesystem::path& path) {
  return dumped(all("tacit-ledger-export", read_ledger(path), std::nullopt));
}

std::string shown_ledger_json(const std::filesystem::path& path) {
  return dumped(all("tacit-ledger", read_ledger(path), failed_reads(path)));
}

std::string shown_ledger_text(const std::filesystem::path& path) {
  const std::string text = ledger_text(read_ledger(path));
  const std::uint64_t failed = failed_reads(path);
  return failed == 0
             ? text
             : text + fmt::format("\nCommands that failed while reading records (sensitive): {}\n", failed);
}

namespace {

std::string group_in_words(const LedgerCharge& charge) {
  return charge.group ? fmt::format("  for {}={}", charge.group->column, charge.group->value) : "";
}

}  // namespace

std::string ledger_text(const Ledger& ledger) {
  std::string text =
      fmt::format("Adds up {} guarantees for one {}, {} neighbours.\n", ledger.terms.accountant,
                  record_or_user(ledger.terms.unit), name(ledger.terms.neighbours));
  for (const LedgerBudget& budget : ledger.budgets) {
    const std::size_t count = budget.charges.size();
    text +=
        fmt::format("\n{}: limit {}; spent {}; left {}; {} release{}\n", budget.name, in_words(budget.limit),
                    in_words(spent(budget)), in_words(left(budget)), count, count == 1 ? "" : "s");
    if (const auto so_far = spent_as_stated(budget))
      text += fmt::format("  the limit stands for {}; spent so far is {}\n", in_words(*budget.stated),
                          in_words(*so_far));
    for (const LedgerCharge& charge : budget.charges)
      text += fmt::format("  {}  {}  {}  {}{}\n", charge.time, charge.release, charge.method,
                          in_words(charge.amount),
                          group_in_words(charge) + (charge.ticket ? "  (unfinished)" : ""));
  }
  if (const std::string assumed = assumed_by(ledger); !assumed.empty())
    text += fmt::format("\nAssumed: {}.\n", assumed);
  return text;
}

}  // namespace tacit::inline v1::service
