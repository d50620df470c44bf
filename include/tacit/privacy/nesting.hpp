#pragma once

#include <cstdint>
#include <variant>

namespace tacit::inline v1 {

// How the inner steps of a step make up what it costs. A rule with its theorem; `require_covered`
// (nested_cost.hpp) does the sum. Unless the rule says otherwise the inner steps are for the unit and the
// neighbours of the step that they are within.

// One after the other, each of them seeing what came out before: the costs, fixed beforehand, add up by the
// accountant of the outer event's notion [docs/accounting.md, "Composition"].
struct Composed {
  bool operator==(const Composed&) const = default;
};

// Each on a part of the data of its own, the units assigned to parts by a secret random order: given the
// order a neighbour changes one part only, and the others' laws, given what came out before, are the same; so
// the cost is the dearest part's. A mixture over orders, which do not depend on the data, costs no more
// (divergences are jointly convex). For zero_out and replace_one: under add_remove the number of units, which
// the order would show, is private.
struct Parallel {
  bool operator==(const Parallel&) const = default;
};

// On a random sample of a share `rate` of the units, without replacement, for replace_one: what is (ε,δ)-DP
// on the sample is (ln(1 + q(e^ε − 1)), qδ)-DP [Balle–Barthe–Gaboardi 2018, Thm 9].
struct Sampled {
  double rate = 1;
  bool operator==(const Sampled&) const = default;
};

// Inner steps for one record, the outer one for a user with at most `records` of them: a chain of so many
// neighbours. (ε',δ') for a record is (kε', δ'(e^{kε'} − 1)/(e^{ε'} − 1)) for k of them
// [Vadhan 2017, Lemma 2.2].
struct Group {
  std::uint64_t records = 1;
  bool operator==(const Group&) const = default;
};

// One of the inner steps, drawn without a look at the data: the dearest (divergences are jointly convex).
struct OneOf {
  bool operator==(const OneOf&) const = default;
};

// The one inner step, an ε₀-DP candidate and its score, is taken a hidden, logarithmic number of times, and
// the best is kept: 2ε₀ [docs/tuned.md]. However often it was taken, it stands in the certificate once.
struct RepeatAndSelect {
  bool operator==(const RepeatAndSelect&) const = default;
};

using Nesting = std::variant<Composed, Parallel, Sampled, Group, OneOf, RepeatAndSelect>;

}  // namespace tacit::inline v1
