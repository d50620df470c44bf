#pragma once

#include <functional>

#include "data/raw_table.hpp"
#include "service/fit/steps.hpp"

// What fits that find ranges first share, whether the table is a file or lies in memory
// [docs/private_schema.md].
//
// Such a fit is resolved twice, because there are two requests. The first is what was asked for, without a
// schema and with the whole guarantee: what can be refused is refused before anything is read or charged, and
// what public numbers refuse before anything is charged, by a fit of columns that are taken for numbers. The
// second has the rest of the guarantee and the schema that was found, from which the target's range, the
// encoder and the columns follow: no plan that was made before could know them.

namespace tacit::inline v1::service {

// A fit with a schema, resolved, and the records as it encodes them.
struct Encoded {
  FitPlan plan;
  FitRecords records;
};

// What is known before anything is asked of the records.
struct KnownBefore {
  const FitOptions& asked;
  FitPlan plan;  // of the request as it was made
  Budget budget;
  RawTable table;
  TargetKind kind;
  std::size_t classes;  // of labels that are no numbers
  // What becomes of the records once there is a schema, for a fit with these options.
  std::function<Encoded(const KnownBefore&, const Schema&, const FitOptions&)> encode;

  bool ask_target() const;
};

// The number of units that the search for ranges, and whether there is one, may go by: the stated one, of
// which some may be null, or how many are there where nobody states another. UsageError when there are more;
// under add_remove, where their number is secret, only if every method that may fit assumes that there are
// not.
std::size_t public_units(const FitPlan& plan, const Budget& budget, std::size_t there);

// The share that is asked for, or that of the public rule; columns with the target's. A refusal is a look at
// the records, and written into the ledger.
double share_of(const FitPlan& plan, const Budget& budget, std::size_t records, std::size_t columns);

// Finds the ranges with this share, > 0, then fits with the rest.
FittedModel fit_both(const KnownBefore& known, double share, BitSource& bits);

}  // namespace tacit::inline v1::service
