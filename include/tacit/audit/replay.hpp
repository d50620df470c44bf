#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tacit/algorithm/method.hpp"
#include "tacit/audit/neighbour_pair.hpp"
#include "tacit/core/api.hpp"

// Replay: a method runs on two neighbours with identical bits, and everything that it opened is compared with
// what it claimed [docs/audits.md].

namespace tacit::inline v1::audit {

// A method with all it needs but the data.
struct Subject {
  const Method* method = nullptr;
  LinearLoss loss;
  double intercept = 1;
  FeatureBlocks blocks = {};  // of the problems it runs on
  Facts facts;
  Budget budget;
  std::vector<std::string>
      released_facts;  // options of the certificate that are releases, paid for like the model
  bool adaptive =
      false;  // what later steps open depends on earlier releases: the method's own checks compare it
};

struct Opened {
  Step step;
  std::vector<double> value;
};

// What a watcher saw of one run.
struct WatchedRun {
  std::vector<Opened> opened;
  std::optional<Release> release;  // nothing when it failed
  std::string failure;             // the message, then
};

// Both runs. The subject and the pair must outlive it.
struct Replayed {
  const Subject* subject = nullptr;
  std::array<Problem, 2> problems;
  std::array<WatchedRun, 2> runs;

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
  std::string what;
  std::string pair;  // on which neighbours
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
