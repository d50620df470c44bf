#include "service/statement/release.hpp"

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

StatementParts release_statement(const std::string& method, const Content& content, const Budget& budget,
                                 const std::optional<LedgerUse>& ledger,
                                 const std::optional<LedgerGroup>& group, Facts options, Facts assumed_public,
                                 BitSource& bits) {
  if (ledger && bits.seeded())
    throw_error<UsageError>(
        "what is released with seeded bits is not private and cannot be charged to a ledger");
  const statistics::Price price =
      statistics::price([&](statistics::Answers& answers) { content(answers, false); }, budget.limit);
  RootMeter meter(budget, bits);
  std::string charged;
  meter.before_each_step([&](const Step&) {
    if (ledger && charged.empty())
      charged = charge_ledger(ledger->path, {ledger->name, method, budget, group});
  });
  statistics::ReleasedAnswers answers(price, meter);
  StatementParts parts{.content = content(answers, true), .released = {}, .certificate = {}};
  parts.released = answers.released();
  parts.texts = answers.released_texts();
  if (!charged.empty()) assumed_public.set("ledger_release", charged);
  parts.certificate = certify(method, meter, std::move(options), std::move(assumed_public));
  return parts;
}

void state_sources(bool by_query, const std::optional<LedgerGroup>& group, Certificate& certificate) {
  if (by_query) assume_public(ReadOff::query, certificate);
  if (group) state_group(*group, certificate);
}

}  // namespace tacit::inline v1::service
