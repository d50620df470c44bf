#include <algorithm>
#include <cmath>
#include <utility>

#include "data/raw_table.hpp"
#include "service/fit/columns.hpp"
#include "service/fit/failed_reads.hpp"
#include "service/fit/found_ranges.hpp"
#include "service/fit/ranges.hpp"
#include "service/fit/weights.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

bool finds_ranges(const FitOptions& options, std::size_t records, std::size_t columns) {
  if (!may_find_ranges(options, "")) return false;
  const FitPlan plan = resolve(options, std::nullopt);
  return share_of(plan, requested_budget(plan.options, *plan.candidates.front()), records, columns + 1) > 0;
}

namespace {

// A name for labels that have none, and that no column has.
std::string name_of_target(const std::string& stated, std::span<const TableColumn> columns) {
  std::string name = stated.empty() ? "target" : stated;
  while (std::ranges::find(columns, name, &TableColumn::name) != columns.end()) name += "_";
  return name;
}

// Labels that are numbers as a column among the others, and the users as they are numbered.
RawTable raw_with_labels(std::vector<TableColumn> columns, const Dataset& labelled,
                         const std::string& target) {
  const bool numbers = labelled.target_kind == TargetKind::numeric;
  if (numbers) columns.push_back({target, NumberCells{labelled.labels.data()}});
  RawTable table = raw_table(columns, labelled.size(), numbers ? target : "", "");
  table.users = labelled.users;
  table.user_count = labelled.user_count;
  return table;
}

// What a fit would refuse, before anything is charged.
void check_labels_and_weights(const Dataset& labelled, const FitOptions& options) {
  if (labelled.labels.size() != labelled.size())
    throw_error<DataError>("{} records have {} labels", labelled.size(), labelled.labels.size());
  for (std::size_t i = 0; i < labelled.size(); ++i)
    if (!std::isfinite(labelled.labels[i]))
      throw_error<DataError>("record {}: the label is {}, expected a finite number", i, labelled.labels[i]);
  static_cast<void>(parts_of_bound(labelled.weights, options.weight_bound));
}

Encoded encoded_table(std::span<const TableColumn> columns, const ReadResult& labelled, const Schema& found,
                      const FitOptions& options) {
  const std::size_t rows = labelled.data.size();
  FitPlan plan = resolve(options, found);
  const KnotFacts facts = knot_facts(plan, rows);
  const Schema schema = with_knots(found, plan.options.encoder, facts);
  ReadResult read =
      recording_failures(plan.options.ledger, [&] { return encode_table(columns, rows, schema); });
  read.schema = schema;
  Features features = std::move(read.data.features);
  std::vector<std::string> names = std::move(read.data.names);
  read.data = labelled.data;
  read.data.features = std::move(features);
  read.data.names = std::move(names);
  read.has_target = true;
  read.read_off_data = labelled.read_off_data;
  FitRecords records = with_bearable_columns(take(std::move(read)), plan, facts);
  return {std::move(plan), std::move(records)};
}

}  // namespace

FittedModel fit_table(const std::vector<TableColumn>& columns, const ReadResult& labelled,
                      const FitOptions& given, BitSource& bits) {
  require_unseeded(given, bits);
  FitOptions asked = given;
  if (labelled.data.target_kind == TargetKind::numeric) asked.target = name_of_target(given.target, columns);
  FitPlan plan = resolve(asked, std::nullopt);
  const Budget budget = requested_budget(plan.options, *plan.candidates.front());
  const double share = share_of(plan, budget, labelled.data.size(), columns.size() + 1);
  recording_refusals(plan.options.ledger, false, [&] {
    if (!(share > 0)) throw_error<UsageError>("the range share is 0, so text needs a schema");
    check_labels_and_weights(labelled.data, asked);
  });
  const auto encode = [&](const KnownBefore&, const Schema& schema, const FitOptions& options) {
    return encoded_table(columns, labelled, schema, options);
  };
  return fit_both({asked, std::move(plan), budget, raw_with_labels(columns, labelled.data, asked.target),
                   labelled.data.target_kind, labelled.data.classes.size(), encode},
                  share, bits);
}

}  // namespace tacit::inline v1::service
