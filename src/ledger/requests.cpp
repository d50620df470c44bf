#include "ledger/requests.hpp"

#include <algorithm>

#include "core/utf8.hpp"
#include "ledger/filter.hpp"
#include "ledger/version_one.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

std::string names_of(const LedgerState& state) {
  std::string names;
  for (const Account& account : state.accounts)
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", account.name);
  return names.empty() ? "none" : names;
}

// Entries are JSON, which holds UTF-8 alone.
void require_readable(std::string_view what, std::string_view text) {
  if (!is_utf8(text))
    throw_error<UsageError>("the {} is \"{}\", which is not valid UTF-8", what, visible(text));
}

}  // namespace

Journal open_to_write(const std::filesystem::path& path) {
  if (is_version_one(LedgerFile(path, LedgerFile::Use::write).read(0, version_one_head)))
    throw_error<DataError>(
        "{}: the ledger has format 1, which is read but no longer written; `tacit upgrade {}` keeps all that "
        "is "
        "in it",
        path.string(), path.string());
  return Journal(path, LedgerFile::Use::write);
}

std::size_t find_account(const std::string& path, const LedgerState& state, const std::string& name) {
  if (name.empty() && state.accounts.size() == 1) return 0;
  if (name.empty())
    throw_error<UsageError>("{}: the ledger has several names, say which: {}", path, names_of(state));
  const auto it = std::ranges::find(state.accounts, name, &Account::name);
  if (it == state.accounts.end())
    throw_error<UsageError>("{}: the ledger has no name \"{}\", only {}", path, visible(name),
                            names_of(state));
  return static_cast<std::size_t>(it - state.accounts.begin());
}

void require_same_terms(const std::string& path, const LedgerTerms& terms, const LedgerRequest& request) {
  if (terms.unit != request.budget.unit)
    throw_error<UsageError>(
        "{0}: the ledger protects one {1}, but {2} protects one {3}; charge a ledger whose unit is the {3}",
        path, record_or_user(terms.unit), request.method, record_or_user(request.budget.unit));
  if (terms.neighbours != request.budget.neighbours)
    throw_error<UsageError>(
        "{}: the ledger is for {} neighbours, but the fit by {} is for {}; ask for {} neighbours "
        "where the method offers them (`tacit methods`)",
        path, name(terms.neighbours), request.method, name(request.budget.neighbours),
        name(terms.neighbours));
}

Accepted accept(const std::string& path, const LedgerState& state, const LedgerRequest& request) {
  require_readable("method", request.method);
  if (request.group) {
    require_readable("group's column", request.group->column);
    require_readable("group", request.group->value);
  }
  const std::size_t k = find_account(path, state, request.name);
  require_same_terms(path, state.terms, request);
  const Account& account = state.accounts[k];
  const Guarantee amount = amount_in(request.budget.limit, account.limit);
  if (request.group && request.budget.unit == Unit::user)
    throw_error<UsageError>("groups are for records, not users: one user may have records in several");
  if (!account.admits(amount, request.group))
    throw_error<BudgetError>(
        "{}: \"{}\" has {} left of {}{}, but {} was asked for; nothing was released", path, account.name,
        in_words(account.left_for(request.group)), in_words(account.limit),
        request.group ? fmt::format(" for {}={}", request.group->column, request.group->value) : "",
        in_words(amount));
  return {k, amount};
}

}  // namespace tacit::inline v1
