#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/audit/black_box.hpp"
#include "tacit/audit/claim.hpp"
#include "tacit/audit/replay.hpp"
#include "tacit/core/api.hpp"

namespace tacit::inline v1::audit {

// A number that helps to judge a run, without a bound that it must keep.
struct Diagnostic {
  std::string what;
  double value = 0;
};

// How a method is audited, as a row of a table. Every method of `methods()` has a row.
struct AuditedMethod {
  std::string name;
  // Checks of the steps that open no Sensitive; nullptr: there are none.
  std::vector<Check> (*ideal_checks)(const Replayed& replayed) = nullptr;
  // Whether, with these options, later steps build on earlier releases; nullptr: they do not. ideal_checks
  // then compares what they open at the same releases.
  bool (*adaptive)(const Facts& options) = nullptr;
  // What else is worth knowing, on the pair that the black box runs on; nullptr: nothing.
  std::vector<Diagnostic> (*diagnostics)(const Replayed& replayed, BitSource& bits) = nullptr;
  // Of each pair, with bits of their own: a secret order may leave out the record that differs.
  unsigned replays = 1;
  // Public options for the adversarial pairs, where the usual ones would take long and show no more.
  Facts replayed;
  // Public options under which the method gives away as much as its account says, or nearly, and the number
  // of records that this takes: the black box uses them.
  Facts exposing;
  std::size_t exposing_records = 2;
  // ± this in place of the extreme labels of numeric targets there: where a loss is known by its values
  // alone, those near the largest double drown what differs.
  std::optional<double> exposing_label;
  // Records, or users, without which the method refuses to run at epsilon 1.
  std::size_t least_records = 0;
  // Options in the certificate that are releases: the black box sees them beside the parameters.
  std::vector<std::string> released_facts;
};
TACIT_API std::span<const AuditedMethod> audited_methods();
TACIT_API const AuditedMethod& find_audit(std::string_view method);  // throws UsageError

struct MethodAuditOptions {
  double epsilon = 1;             // what the method is asked for; infinite: no privacy
  double delta = 1e-5;            // the same, for notions that have one
  std::optional<double> claimed;  // audit against this epsilon instead of what was asked for
  LinearLoss loss = Link{LinkKind::logistic, 0};
  std::string notion;  // of the guarantee to ask for; empty: the one the method usually gives
  Facts facts;         // options of the method; bounds on rows and labels for a pair of one's own
  // Of the built-in pairs, in place of the table's: where delta is larger, fewer users are enough.
  std::optional<std::size_t> least_records;
  BlackBoxOptions black_box;
};

struct TACIT_API MethodAudit {
  Claim claim;
  LinearLoss loss;
  std::vector<Check> checks;   // of each kind the worst over all pairs
  std::size_t pairs = 0;       // neighbours replayed
  std::string black_box_pair;  // the pair that the black box ran on
  BlackBoxResult black_box;
  std::vector<Diagnostic> diagnostics;  // on that pair

  bool replay_ok() const;
  bool violated() const;     // the claim does not hold: a check failed, or the lower bound is above it
  double tightness() const;  // lower bound over claim
};

// Replays the method on the built-in pairs and runs the black box on the one where it gives away most.
TACIT_API MethodAudit audit_method(const Method& method, const MethodAuditOptions& options);
// The same with a pair of the caller's own besides, which the black box then runs on.
TACIT_API MethodAudit audit_method(const Method& method, const MethodAuditOptions& options,
                                   const NeighbourPair& own, double intercept);

}  // namespace tacit::inline v1::audit
