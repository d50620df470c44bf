#pragma once

#include <functional>
#include <optional>
#include <string>

#include "algorithm/statistics/answers.hpp"
#include "model/statement.hpp"
#include "tacit/fit.hpp"
#include "tacit/meter.hpp"

// What releases of statistics have in common: their terms, their charge and their certificate.

namespace tacit::inline v1::service {

// The relation that is asked for; else the ledger's, if it is for the same unit; else zero_out.
Neighbours relation_of(std::optional<Neighbours> asked, const std::optional<LedgerUse>& ledger, Unit unit);

// Before records are read: refuses what the ledger would refuse.
void check_ledger(const std::optional<LedgerUse>& ledger, const std::optional<LedgerGroup>& group,
                  const std::string& method, const Budget& budget);

struct StatementParts {
  Json content;
  ReleasedNumbers released;
  Certificate certificate;
  ReleasedTexts texts = {};
};

// The whole guarantee of a release, charged once, right before the first noise of any of its parts.
class Charge {
 public:
  // UsageError: seeded bits are not private, and a ledger is for what is.
  Charge(std::string method, Budget whole, std::optional<LedgerUse> ledger, std::optional<LedgerGroup> group,
         const BitSource& bits);
  void make();
  bool made() const { return made_; }
  const std::string& release() const { return release_; }  // the ledger's id of it; empty without a ledger

 private:
  std::string method_;
  Budget whole_;
  std::optional<LedgerUse> ledger_;
  std::optional<LedgerGroup> group_;
  bool made_ = false;
  std::string release_;
};

// Prices the questions, makes the charge before the first noise, and asks them. `content` is called twice:
// without records (false) to plan, and with them.
using Content = std::function<Json(statistics::Answers& answers, bool with_records)>;
StatementParts release_part(const std::string& method, const Content& content, const Budget& budget,
                            Charge& charge, Facts options, Facts assumed_public, BitSource& bits);

// The same for a release of one part.
StatementParts release_statement(const std::string& method, const Content& content, const Budget& budget,
                                 const std::optional<LedgerUse>& ledger,
                                 const std::optional<LedgerGroup>& group, Facts options, Facts assumed_public,
                                 BitSource& bits);

// Of records and users, how many of the unit there are: stated, and returned, where that is public.
std::optional<std::size_t> state_units(Unit unit, Neighbours neighbours, std::size_t records,
                                       std::size_t users, Facts& assumed_public);

// What is assumed of where the records come from: the last of the assumptions.
void state_sources(bool by_query, const std::optional<LedgerGroup>& group, Certificate& certificate);

}  // namespace tacit::inline v1::service
