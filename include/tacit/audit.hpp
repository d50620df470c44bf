#pragma once

// Layer: audit.
//
// Attempts to refute a method's claim: replays on neighbouring datasets, and a lower bound on epsilon from
// many runs.
//
//     tacit::audit::MethodAudit found = tacit::service::audit({.method = "dp-sgd"});   // tacit/service.hpp

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::audit {

// What is audited: for neighbours A, B and every set S of outputs, P_A(S) ≤ e^epsilon·P_B(S) + delta.
// Infinite: nothing is promised.
struct Claim {
  double epsilon = 0;
  double delta = 0;
};

// The same promise at (epsilon, delta); `delta` counts only for notions that leave it open. For a Rényi curve
// and zCDP this is weaker than the guarantee itself.
TACIT_API Claim claim_of(const Guarantee& guarantee, double delta);

}  // namespace tacit::inline v1::audit

namespace tacit::inline v1::audit {

// Two datasets that differ in one record, and what makes the pair nasty.
struct NeighbourPair {
  std::string what = {};
  Dataset first = {}, second = {};
};

// Pairs with far outliers, rows of norm 1e300, zero rows, denormals, duplicates and flipped labels: the
// differing record is the first, the others are ordinary. Labels fit the loss. records, features ≥ 1.
TACIT_API std::vector<NeighbourPair> adversarial_pairs(const LossSpec& loss, std::size_t records,
                                                       std::size_t features, unsigned seed);

// Pairs on which a method has as little to hide behind as possible: one feature, and all records but the
// first contribute nothing. `row_bound` is the public bound on the rows; some rows keep it, some break it.
// records ≥ 1.
// `label`: ± this in place of a numeric target's extreme labels.
TACIT_API std::vector<NeighbourPair> lone_record_pairs(const LossSpec& loss, std::size_t records,
                                                       double row_bound,
                                                       std::optional<double> label = std::nullopt);

// A label that the loss accepts; `which` picks among the extreme ones.
TACIT_API double extreme_label(const LossSpec& loss, int which);

// The same for zero_out and add_remove: of each dataset of a pair, its first record, moved to the end, is
// there or not. (At the end, so that the coins of the others stay the same.)
TACIT_API std::vector<NeighbourPair> presence_pairs(const std::vector<NeighbourPair>& pairs);

// The same for users. Every record is a user's of its own, but for the first: its user holds as many copies
// of it as there are other records in the first dataset, half of all, and one in the second. Under zero_out
// and add_remove that user, the last, is there or not.
TACIT_API std::vector<NeighbourPair> user_pairs(const std::vector<NeighbourPair>& pairs, Neighbours relation);

// Users with one record and one feature each, whose gradients at 0 lie on a line so that one of them, the
// last, moves the mean of inliers far: most lie within τ, the others within 2τ of a few more than half of
// all, and the last is near those others or far from them. For an even number of users.
TACIT_API NeighbourPair fringe_pair(const LossSpec& loss, std::size_t users);

// Throws DataError, naming what differs, unless the datasets have the same shape and at most one record
// differs.
TACIT_API void require_neighbours(const Dataset& first, const Dataset& second);
// The same for any relation: under zero_out and add_remove one dataset has a record that the other lacks,
// which is moved to the end, as above.
TACIT_API NeighbourPair as_neighbours(NeighbourPair pair, Neighbours relation);
// The same for users, in the order of their first records: all but one hold the same records, in the same
// order; that one has others, or is there in one dataset only, and becomes the last.
TACIT_API NeighbourPair as_user_neighbours(NeighbourPair pair, Neighbours relation);

}  // namespace tacit::inline v1::audit

// How private can it be at most, from outputs alone [docs/audits.md]. Many runs on two neighbours; the event
// that tells them apart best is chosen on one half of the runs and measured on the other, so that choosing
// does not bias the measurement; Clopper–Pearson bounds on its two probabilities give a lower bound on
// epsilon.

namespace tacit::inline v1::audit {

// One run: everything that leaves, as numbers. Called from several threads at once.
using Run = std::function<Vector(BitSource&)>;

// A source of bits for each part of the runs; parts are the same whatever the number of threads.
using BitFactory = std::function<std::unique_ptr<BitSource>(std::size_t part)>;

struct TACIT_API BlackBoxOptions {
  std::size_t runs = 50000;    // on each of the two neighbours, ≥ 20
  double confidence = 0.9999;  // that the lower bound is one, in (0, 1)
  unsigned threads = 0;        // 0: one per core
  BitFactory bits = {};        // empty: system bits

  void validate() const;
};

struct BlackBoxResult {
  double lower_bound = 0;    // epsilon is at least this, with the stated confidence; ≥ 0
  double resolution = 0;     // the largest bound that so many runs can give: that of disjoint supports
  std::string event = {};    // where it was seen: "coordinate 0 > 1.5", "coordinate 0 in 3 of 12 cells"
  std::size_t runs = 0;      // on each of the two
  std::size_t measured = 0;  // runs behind each of the two counts
  std::size_t more_often = 0, less_often = 0;  // times the event occurred, on the one and on the other
};

// `delta`: a failure probability that the claim allows: epsilon ≥ ln((p − delta)/q).
TACIT_API BlackBoxResult black_box(const Run& first, const Run& second, double delta,
                                   const BlackBoxOptions& options);

// With probability ≥ confidence over two independent counts out of n: ln((p − delta)/q) is at least this. p
// is the probability behind `often`, q the one behind `seldom`. −∞ when nothing can be said.
TACIT_API double epsilon_lower_bound(std::size_t often, std::size_t seldom, std::size_t n, double delta,
                                     double confidence);

}  // namespace tacit::inline v1::audit

// Replay: a method runs on two neighbours with identical bits, and everything that it opened is compared with
// what it claimed [docs/audits.md].

namespace tacit::inline v1::audit {

// A method with all it needs but the data.
struct Subject {
  const Method* method = nullptr;
  LossSpec loss = {};
  double intercept = 1;
  FeatureBlocks blocks = {};  // of the problems it runs on
  Facts facts = {};
  Budget budget = {};
  std::vector<std::string> released_facts =
      {};  // options of the certificate that are releases, paid for like the model
  bool adaptive =
      false;  // what later steps open depends on earlier releases: the method's own checks compare it
  bool keeps_places = false;  // what it draws does not depend on how many of its places have a record
};

struct Opened {
  Step step = {};
  std::vector<double> value = {};
};

// What a watcher saw of one run.
struct WatchedRun {
  std::vector<Opened> opened = {};
  std::optional<Release> release = {};  // nothing when it failed
  std::string failure = {};             // the message, then
};

// Both runs. The subject and the pair must outlive it.
struct Replayed {
  const Subject* subject = nullptr;
  std::array<Problem, 2> problems = {};
  std::array<WatchedRun, 2> runs = {};

  // Whether it failed on both in the same way, so that there is nothing to compare.
  bool failed_alike() const {
    return !runs[0].release && !runs[1].release && runs[0].failure == runs[1].failure;
  }
};

enum class CheckKind {
  outcome,   // something that must be the same on both neighbours
  account,   // a step costs at least what its noise gives away
  movement,  // a Sensitive moved by at most its sensitivity
  ideal,     // what the proof of an ideal mechanism bounds
  density,   // the log-ratio of an ideal mechanism's output densities
};

struct Check {
  CheckKind kind = CheckKind::outcome;
  std::string what = {};
  std::string pair = {};  // on which neighbours
  double bound = 0, measured = 0;

  bool ok() const { return measured <= bound; }  // NaN is not ok
};

TACIT_API Replayed replay(const Subject& subject, const NeighbourPair& pair, BitSource& source);

// What must hold of any method: the same outcome and public facts on both; every Sensitive within its
// sensitivity; every step's cost within what its noise allows. Steps are compared in order, so the later
// steps of a method whose steps build on earlier releases would be compared at different releases: those of
// an adaptive subject are compared up to the first whose value differs, the rest is left to checks of its
// own. Steps within steps are seen like any others.
TACIT_API std::vector<Check> check_replay(const Replayed& replayed);

// Whether the step opens something other than a Sensitive: its check is the method's own.
TACIT_API bool opens_an_ideal(const Step& step);

}  // namespace tacit::inline v1::audit

namespace tacit::inline v1::audit {

// A number that helps to judge a run, without a bound that it must keep.
struct Diagnostic {
  std::string what = {};
  double value = 0;
};

// How a method is audited, as a row of a table. Every method of `methods()` has a row.
struct AuditedMethod {
  std::string name = {};
  // Checks of the steps that open no Sensitive; nullptr: there are none.
  std::vector<Check> (*ideal_checks)(const Replayed& replayed) = nullptr;
  // Whether, with these options, later steps build on earlier releases; nullptr: they do not. ideal_checks
  // then compares what they open at the same releases.
  bool (*adaptive)(const Facts& options) = nullptr;
  // Whether it draws the same, of the same bits, where a record is missing: a null one keeps its place. What
  // it opens after the first release is then compared as well, as long as releases are the same.
  bool keeps_places = false;
  // What else is worth knowing, on the pair that the black box runs on; nullptr: nothing.
  std::vector<Diagnostic> (*diagnostics)(const Replayed& replayed, BitSource& bits) = nullptr;
  // Of each pair, with bits of their own: a secret order may leave out the record that differs.
  unsigned replays = 1;
  // Public options for the adversarial pairs, where the usual ones would take long and show no more.
  Facts replayed = {};
  // Public options under which the method gives away as much as its account says, or nearly, and the number
  // of records that this takes: the black box uses them.
  Facts exposing = {};
  std::size_t exposing_records = 2;
  // ± this in place of the extreme labels of numeric targets there: where a loss is known by its values
  // alone, those near the largest double drown what differs.
  std::optional<double> exposing_label = {};
  // Records, or users, without which the method refuses to run at epsilon 1.
  std::size_t least_records = 0;
  // Options in the certificate that are releases: the black box sees them beside the parameters.
  std::vector<std::string> released_facts = {};
  // On each neighbour, where nobody says how many: an audit then takes at most two minutes on two cores.
  std::size_t usual_runs = 50000;
};
TACIT_API std::span<const AuditedMethod> audited_methods();
TACIT_API const AuditedMethod& find_audit(std::string_view method);  // throws UsageError

struct MethodAuditOptions {
  double epsilon = 1;                  // what the method is asked for; infinite: no privacy
  double delta = 1e-5;                 // the same, for notions that have one
  std::optional<double> claimed = {};  // audit against this epsilon instead of what was asked for
  LossSpec loss = Link{LinkKind::logistic, 0};
  std::string notion = {};  // of the guarantee to ask for; empty: the one the method usually gives
  std::optional<Neighbours> neighbours = {};  // the relation to ask for; absent: the method's usual one
  Facts facts = {};  // options of the method; bounds on rows and labels for a pair of one's own
  // Of the built-in pairs, in place of the table's: where delta is larger, fewer users are enough.
  std::optional<std::size_t> least_records = {};
  BlackBoxOptions black_box = {};
};

struct TACIT_API MethodAudit {
  Claim claim = {};
  LossSpec loss = {};
  std::vector<Check> checks = {};   // of each kind the worst over all pairs
  std::size_t pairs = 0;            // neighbours replayed
  std::string black_box_pair = {};  // the pair that the black box ran on
  BlackBoxResult black_box = {};
  std::vector<Diagnostic> diagnostics = {};  // on that pair

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
