#include "ledger/state.hpp"

#include <algorithm>

#include "ledger/parts.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

std::size_t find_account(const LedgerState& state, const std::string& name) {
  const auto it = std::ranges::find(state.accounts, name, &Account::name);
  if (it == state.accounts.end()) throw_error<DataError>("a charge belongs to no limit");
  return static_cast<std::size_t>(it - state.accounts.begin());
}

// Amounts are added up part by part.
void require_same_parts(const Guarantee& amount, const Guarantee& limit) {
  if (amount.index() != limit.index() ||
      !std::ranges::equal(parts_of(amount), parts_of(limit), {}, &Part::order, &Part::order))
    throw_error<DataError>("an amount is not in the limit's notion");
}

Json terms_json(const LedgerTerms& terms, const std::string& created) {
  return {{"accountant", terms.accountant},
          {"unit", name(terms.unit)},
          {"neighbours", name(terms.neighbours)},
          {"created", created}};
}

void read_terms(const Json& json, LedgerState& state) {
  try {
    state.terms = {json.at("accountant"), parse_unit(json.at("unit").get<std::string>()),
                   parse_neighbours(json.at("neighbours").get<std::string>())};
    require_accountant(state.terms.accountant);
  } catch (const UsageError& error) {
    throw DataError(error.what());
  }
  state.created = json.at("created");
}

Json group_json(const LedgerGroup& group) { return {{"column", group.column}, {"value", group.value}}; }
LedgerGroup group_from(const Json& json) { return {json.at("column"), json.at("value")}; }

Json limit_json(const std::string& name, const Guarantee& limit, const std::optional<Approx>& stated) {
  Json json{{"name", name}, {"limit", entry_json(limit)}};
  if (stated) json["stated"] = entry_json(Guarantee(*stated));
  return json;
}

Account account_from(const Json& json) {
  const Guarantee limit = guarantee_from(json.at("limit"));
  std::optional<Approx> stated;
  if (json.contains("stated")) {
    const Guarantee found = guarantee_from(json.at("stated"));
    if (!std::holds_alternative<Approx>(found)) throw_error<DataError>("a limit has the wrong notion");
    stated = std::get<Approx>(found);
  }
  return {.name = json.at("name"), .limit = limit, .stated = stated, .tally = Tally(limit)};
}

Json open_json(const OpenRelease& open) {
  Json json{{"release", open.release},
            {"account", open.account},
            {"number", open.number},
            {"method", open.method},
            {"guarantee", entry_json(open.asked)},
            {"ticket", entry_json(open.ticket)}};
  if (open.group) json["group"] = group_json(*open.group);
  return json;
}

Json typed(const char* type, const Json& content) {
  Json entry{{"type", type}};
  entry.update(content);
  return entry;
}

}  // namespace

Tally& Account::tally_for(const std::optional<LedgerGroup>& group) {
  return group ? tally_of(groups, *group, limit) : tally;
}

bool Account::admits(const Guarantee& amount, const std::optional<LedgerGroup>& group) const {
  Account with = *this;
  with.tally_for(group).add(amount);
  return with.spent().keeps_limit();
}

// What the column's other groups were charged is not paid by this one, and keeps the limit as it is.
Guarantee Account::left_for(const std::optional<LedgerGroup>& group) const {
  if (!group) return spent().left();
  std::vector<GroupTally> paid;
  for (const GroupTally& other : groups)
    if (other.group.column != group->column || other.group == *group) paid.push_back(other);
  return with_groups(tally, paid).left();
}

std::uint64_t Account::charges() const {
  std::uint64_t count = tally.count();
  for (const GroupTally& group : groups) count += group.tally.count();
  return count;
}

Json terms_entry(const LedgerTerms& terms, const std::string& created) {
  return typed("terms", terms_json(terms, created));
}

Json limit_entry(const LedgerBudget& budget) {
  return typed("limit", limit_json(budget.name, budget.limit, budget.stated));
}

Json charge_entry(const std::string& name, const LedgerCharge& charge) {
  Json entry{{"type", "charge"},
             {"name", name},
             {"release", charge.release},
             {"time", charge.time},
             {"method", charge.method},
             {"guarantee", entry_json(charge.asked)},
             {"amount", entry_json(charge.amount)}};
  if (charge.group) entry["group"] = group_json(*charge.group);
  if (charge.ticket) entry["ticket"] = entry_json(*charge.ticket);
  return entry;
}

Json ticket_entry(const std::string& release, const std::optional<LedgerTicket>& ticket) {
  return {{"type", "ticket"}, {"release", release}, {"ticket", ticket ? entry_json(*ticket) : Json(nullptr)}};
}

Json failed_read_entry(const std::string& name, const std::string& time) {
  return {{"type", "failed_read"}, {"name", name}, {"time", time}};
}

Json summary_entry(const LedgerState& state) {
  Json entry = typed("summary", terms_json(state.terms, state.created));
  entry["accounts"] = Json::array();
  for (const Account& account : state.accounts) {
    entry["accounts"].push_back(limit_json(account.name, account.limit, account.stated));
    entry["accounts"].back().update(entry_json(account.tally));
    for (const GroupTally& group : account.groups) {
      Json json = group_json(group.group);
      json.update(entry_json(group.tally));
      entry["accounts"].back()["groups"].push_back(std::move(json));
    }
  }
  entry["open"] = Json::array();
  for (const OpenRelease& open : state.open) entry["open"].push_back(open_json(open));
  entry["failed_reads"] = state.failed_reads;
  return entry;
}

bool is_summary(const Json& entry) { return entry.at("type") == "summary"; }

void Replay::apply(const Json& entry) {
  const std::string type = entry.at("type");
  if (!begun_) return begin(entry);
  if (type == "limit") return add_limit(entry);
  if (type == "charge") return add_charge(entry);
  if (type == "ticket") return set_ticket(entry);
  if (type == "failed_read") {
    ++state_.failed_reads;
  } else if (type != "summary" || entry != summary_entry(state_)) {
    throw_error<DataError>("an entry cannot follow the ones before it");
  }
}

void Replay::begin(const Json& entry) {
  if (is_summary(entry) && keep_ == Keep::sums)
    begin_at_summary(entry);
  else if (entry.at("type") == "terms")
    read_terms(entry, state_);
  else
    throw_error<DataError>("its terms are missing");
  begun_ = true;
}

void Replay::begin_at_summary(const Json& entry) {
  read_terms(entry, state_);
  for (const Json& json : entry.at("accounts")) {
    Account account = account_from(json);
    account.tally = tally_from(account.limit, json);
    if (json.contains("groups"))
      for (const Json& group : json.at("groups"))
        account.groups.push_back({group_from(group), tally_from(account.limit, group)});
    state_.accounts.push_back(std::move(account));
  }
  for (const Json& json : entry.at("open")) {
    OpenRelease open{json.at("release"),
                     json.at("account"),
                     json.at("number"),
                     json.at("method"),
                     guarantee_from(json.at("guarantee")),
                     ticket_from(json.at("ticket"))};
    if (json.contains("group")) open.group = group_from(json.at("group"));
    if (open.account >= state_.accounts.size()) throw_error<DataError>("a ticket belongs to no charge");
    state_.open.push_back(std::move(open));
  }
  state_.failed_reads = entry.at("failed_reads");
}

void Replay::add_limit(const Json& entry) {
  Account account = account_from(entry);
  if (std::ranges::find(state_.accounts, account.name, &Account::name) != state_.accounts.end())
    throw_error<DataError>("a name has two limits");
  if (notion(account.limit) != state_.terms.accountant)
    throw_error<DataError>("a limit has the wrong notion");
  state_.accounts.push_back(std::move(account));
  charges_.emplace_back();
}

void Replay::add_charge(const Json& entry) {
  const std::size_t at = find_account(state_, entry.at("name"));
  Account& account = state_.accounts[at];
  LedgerCharge charge{.release = entry.at("release"),
                      .time = entry.at("time"),
                      .method = entry.at("method"),
                      .asked = guarantee_from(entry.at("guarantee")),
                      .amount = guarantee_from(entry.at("amount")),
                      .ticket = {}};
  if (entry.contains("group")) charge.group = group_from(entry.at("group"));
  require_same_parts(charge.amount, account.limit);
  if (entry.contains("ticket"))
    state_.open.push_back({charge.release, at, account.charges(), charge.method, charge.asked,
                           ticket_from(entry.at("ticket")), charge.group});
  account.tally_for(charge.group).add(charge.amount);
  if (keep_ == Keep::charges) charges_[at].push_back(std::move(charge));
}

void Replay::set_ticket(const Json& entry) {
  const auto it =
      std::ranges::find(state_.open, entry.at("release").get<std::string>(), &OpenRelease::release);
  if (it == state_.open.end()) throw_error<DataError>("a ticket belongs to no charge");
  if (entry.at("ticket").is_null())
    state_.open.erase(it);
  else
    it->ticket = ticket_from(entry.at("ticket"));
}

Ledger Replay::ledger() && {
  if (!begun_) throw_error<DataError>("its terms are missing");
  Ledger ledger{.terms = std::move(state_.terms), .created = std::move(state_.created), .budgets = {}};
  for (std::size_t k = 0; k < state_.accounts.size(); ++k) {
    Account& account = state_.accounts[k];
    ledger.budgets.push_back(
        {std::move(account.name), std::move(account.limit), account.stated, std::move(charges_[k])});
  }
  for (OpenRelease& open : state_.open)
    ledger.budgets[open.account].charges.at(open.number).ticket = std::move(open.ticket);
  return ledger;
}

}  // namespace tacit::inline v1
