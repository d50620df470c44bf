#include "service/statement/release.hpp"

#include <utility>

#include "privacy/assumptions.hpp"
#include "service/fit/group.hpp"
#include "tacit/ledger.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::service {

Neighbours relation_of(std::optional<Neighbours> asked, const std::optional<LedgerUse>& ledger, Unit unit) {
  if (asked) return *asked;
  if (!ledger) return Neighbours::zero_out;
  const LedgerTerms terms = read_ledger_terms(ledger->path);
  return terms.unit == unit ? terms.neighbours : Neighbours::zero_out;  // another unit is refused there
}

void check_ledger(const std::optional<LedgerUse>& ledger, const std::optional<LedgerGroup>& group,
                  const std::string& method, const Budget& budget) {
  if (ledger) check_charge(ledger->path, {ledger->name, method, budget, group});
}

std::string signed_statement(const std::string& statement, const std::filesystem::path& key) {
  return key.empty() ? statement : sign_model(statement, read_file(key));
}

Charge::Charge(std::string method, Budget whole, std::optional<LedgerUse> ledger,
               std::optional<LedgerGroup> group, const BitSource& bits)
    : method_(std::move(method)),
      whole_(std::move(whole)),
      ledger_(std::move(ledger)),
      group_(std::move(group)) {
  if (ledger_ && bits.seeded())
    throw_error<UsageError>(
        "what is released with seeded bits is not private and cannot be charged to a ledger");
}

void Charge::make() {
  if (std::exchange(made_, true) || !ledger_) return;
  if (ledger_->before_charge) ledger_->before_charge();
  release_ = charge_ledger(ledger_->path, {ledger_->name, method_, whole_, group_});
}

StatementParts release_part(const std::string& method, const Content& content, const Budget& budget,
                            Charge& charge, Facts options, Facts assumed_public, BitSource& bits) {
  const statistics::Price price =
      statistics::price([&](statistics::Answers& answers) { content(answers, false); }, budget.limit);
  RootMeter meter(budget, bits);
  meter.before_each_step([&](const Step&) { charge.make(); });
  statistics::ReleasedAnswers answers(price, meter);
  StatementParts parts{.content = content(answers, true), .released = {}, .certificate = {}};
  parts.released = answers.released();
  parts.texts = answers.released_texts();
  if (!charge.release().empty()) assumed_public.set("ledger_release", charge.release());
  parts.certificate = certify(method, meter, std::move(options), std::move(assumed_public));
  return parts;
}

StatementParts release_statement(const std::string& method, const Content& content, const Budget& budget,
                                 const std::optional<LedgerUse>& ledger,
                                 const std::optional<LedgerGroup>& group, Facts options, Facts assumed_public,
                                 BitSource& bits) {
  Charge charge(method, budget, ledger, group, bits);
  return release_part(method, content, budget, charge, std::move(options), std::move(assumed_public), bits);
}

std::optional<std::size_t> state_units(Unit unit, Neighbours neighbours, std::size_t records,
                                       std::size_t users, Facts& assumed_public) {
  if (neighbours == Neighbours::add_remove) return std::nullopt;
  const std::size_t units = unit == Unit::user ? users : records;
  assumed_public.set(count_fact(unit), static_cast<std::int64_t>(units));
  return units;
}

void state_sources(bool by_query, const std::optional<LedgerGroup>& group, Certificate& certificate) {
  if (by_query) assume_public(ReadOff::query, certificate);
  if (group) state_group(*group, certificate);
  if (certificate.neighbours == Neighbours::add_remove) assume_public(ReadOff::some, certificate);
}

}  // namespace tacit::inline v1::service
