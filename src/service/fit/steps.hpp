#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/verify_ranges.hpp"
#include "service/fit/intervals.hpp"
#include "service/fit/target.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/meter.hpp"
#include "tacit/model.hpp"

// A fit is four steps: resolve → read → run → seal. Each does one thing, once.

namespace tacit::inline v1::service {

// 1. resolve: what a request comes to, from public values alone. Everything that can be refused without a
// look at the records is refused here.
struct FitPlan {
  FitOptions options;                     // with what the schema and the ledger add
  std::vector<const Method*> candidates;  // the named method, or those that the choice is among
  std::optional<Schema> schema;
  std::vector<std::string> said = {};  // beforehand already, before its ranges were sought
};
FitPlan resolve(const FitOptions& asked, const std::optional<Schema>& schema);
// The same for a file: users who are named there, and a ledger that would refuse, count before it is read.
FitPlan resolve(const ReadOptions& reading, const FitOptions& asked);
// The same for records in memory, where users who are there count. Nothing else of the data is looked at.
FitPlan resolve_in_memory(const FitOptions& asked, const std::optional<Schema>& schema, const Dataset& data);
// Before there are records: users count who are in the schema.
FitPlan resolve_for_knots(const FitOptions& asked, const Schema& schema);

// The option by which a caller states how many records, or users, there are.
inline const char* count_option(Unit unit) { return unit == Unit::user ? "user_count" : "records"; }

// What the rule for knots may know: only what is public.
struct KnownOfKnots {
  KnotFacts facts;
  bool count_is_public = false;
};
KnownOfKnots known_of_knots(const FitPlan& plan);
KnotFacts knot_facts(const FitPlan& plan, std::size_t records);  // once they are counted

// 2. read: the encoded records, and where what should be public came from.
struct Sources {
  std::vector<std::string> read_off_data;  // "classes", "columns"
  bool drafted_schema = false;
  bool guessed_numbers = false;  // that the target has numbers, by its first record
  bool guessed_header = false;
  bool guessed_separator = false;
  bool by_query = false;
  std::optional<SchemaRelease> schema_release = {};  // that encoded cells bring along
  std::string user_column;  // as the caller named it; empty: in the schema, or no file
  std::optional<LedgerGroup> group = {};
};
struct FitRecords {
  Dataset data;
  std::optional<Schema> schema;  // as they were encoded
  std::vector<FeatureBlock> blocks;
  ImageFeatures image_features = ImageFeatures::none;
  std::optional<double> row_norm_bound;
  Sources sources;
  std::optional<double> per_column = {};  // n·ε/d of a table with a schema, where it is public
};
FitRecords read(const ReadOptions& reading, const FitPlan& plan);
FitRecords take(ReadResult read);  // records that lie in memory already

// What refuses a fit refuses its plan, too. UsageError: two bounds of a row; a method that cannot fit this
// shape; seeded bits, which are not private, where a ledger is for what is.
std::optional<double> agreed_row_bound(const FitPlan& plan, const FitRecords& records);
void require_suitable(const Method& method, const Shape& shape);
void require_unseeded(const FitOptions& options, const BitSource& bits);

// What the method is told, and the shape that noise is made for: the same in a fit and in its plan. What
// models of format 1 see keeps the noise that it had.
Facts facts_for_method(const FitOptions& options, std::optional<double> row_bound,
                       const PreparedTarget& target);
FeatureBlocks blocks_of(const FitPlan& plan, const std::vector<FeatureBlock>& encoded, std::size_t columns);
// Of the guarantee, what the rule for knots may know.
std::optional<double> size_of(const Guarantee& guarantee);
// Whether the method's steps are for numbers about as large as 1, while nothing bounds the target's.
bool takes_target_as_it_comes(const Method& method, const LossSpec& loss, const PreparedTarget& target);

// What found the ranges, where nobody stated them: before the fit, with a share of the guarantee.
struct RangeRun {
  Guarantee whole;  // what was asked for both
  RangeSplit split;
  std::vector<Step> steps;
  RangeAnswers answers;
  bool asked_target = false;  // whether the target was among the columns
};

// 3. run: the method, chosen by the shape of the records, on the records.
struct FitRun {
  Choice choice;
  Release release;
  LossSpec loss;
  PreparedTarget target;       // without its labels, which went into the problem
  bool target_as_it_comes;     // a numeric target without a public range
  std::string ledger_release;  // the ledger's id of the charge; empty: none
  std::optional<IntervalRun> intervals = {};
  std::optional<RangeRun> ranges = {};
};
// Moves the labels of `records` out.
FitRun run(const FitPlan& plan, FitRecords& records, BitSource& bits);

// 4. seal: the model and its certificate, which is written once: the fit's own, with what came before and
// after it.
FittedModel seal(const FitPlan& plan, const FitRecords& records, FitRun run);
// That certificate, of a fit and of its plan: nothing that the fit released is looked at.
Certificate sealed_certificate(const FitPlan& plan, const FitRecords& records, const FitRun& run);

}  // namespace tacit::inline v1::service
