#include "service/fit/columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/loss.hpp"

namespace tacit::inline v1::service {

std::optional<double> records_per_column(const ReadOptions& reading, const FitRecords& records) {
  if (!reading.schema || reading.encoder != EncoderRule::automatic) return std::nullopt;
  KnotFacts facts = reading.knot_facts;
  if (!facts.records && reading.count_is_public) facts.records = records.data.size();
  if (!facts.records || !facts.epsilon) return std::nullopt;
  const auto columns = std::ranges::count_if(reading.schema->columns, [](const SchemaColumn& column) {
    return !std::holds_alternative<IgnoredColumn>(column.kind);
  });
  if (columns == 0) return std::nullopt;
  return static_cast<double>(*facts.records) * *facts.epsilon / static_cast<double>(columns);
}

FitRecords without_columns(FitRecords records) {
  records.data.features = Features(DenseRows{.rows = records.data.size(), .columns = 0, .values = {}});
  records.data.names.clear();
  records.blocks.clear();
  records.row_norm_bound = 0;
  for (SchemaColumn& column : records.schema->columns) column.kind = IgnoredColumn{};
  records.schema->pairs.clear();
  return records;
}

bool may_leave_out_columns(const FitOptions& options) {
  return chooses_itself(options) && options.intercept > 0 && !parse_network(options.loss) &&
         !parse_robust(options.loss);
}

std::string why_no_columns(const FitRecords& records) {
  if (!records.per_column || records.data.features.columns() > 0) return "";
  return fmt::format(
      "the intercept alone, as records x epsilon / columns = {:.3g} is below {}; more epsilon or fewer "
      "columns "
      "would let them in, and so would a named method or encoder",
      *records.per_column, constant_below);
}

std::string little_to_expect(const FitOptions& options, const FitRecords& records) {
  if (!records.per_column || *records.per_column >= little_below || records.data.features.columns() == 0)
    return "";
  return fmt::format(
      "records x epsilon / columns = {:.3g} is below {}: expect little more than a constant; more "
      "epsilon{} or fewer columns would help",
      *records.per_column, little_below, std::holds_alternative<Pure>(options.guarantee) ? ", a delta" : "");
}

}  // namespace tacit::inline v1::service
