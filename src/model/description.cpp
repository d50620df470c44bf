#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/iso_date.hpp"
#include "model/certificate_json.hpp"
#include "model/statement.hpp"
#include "model/two_parts.hpp"
#include "model/verify_ranges.hpp"

namespace tacit::inline v1 {

namespace {

using statistics::DescribedColumn;
using statistics::Estimate;

// Seconds, and the same as dates beside: the value's nearest second, and an interval that is no smaller.
Json of_cells(const Estimate& estimate, bool date) {
  Json json = to_json(estimate);
  if (!date) return json;
  json["date"] = date_text(std::nearbyint(estimate.value));
  json["date_interval"] = {date_text(std::floor(estimate.interval.low)),
                           date_text(std::ceil(estimate.interval.high))};
  return json;
}

Json of_column(const DescribedColumn& column) {
  Json json = Json::object();
  if (column.presence) {
    json["count"] = to_json(column.presence->count);
    json["missing"] = to_json(column.presence->missing);
  }
  if (column.mean) json["mean"] = of_cells(*column.mean, column.date);
  for (const auto& [level, value] : column.quantiles)
    json["quantiles"][fmt::format("{}", level)] = of_cells(value, column.date);
  if (!column.histogram.empty()) {
    Json counts = Json::array();
    for (const Estimate& cell : column.histogram) counts.push_back(to_json(cell));
    json["histogram"] = {{"edges", column.edges}, {"counts", counts}};
  }
  for (const auto& [name, value] : column.categories) json["categories"][name] = to_json(value);
  if (column.date && !json.empty()) json["unit"] = "seconds since 1970-01-01T00:00Z";
  return json;
}

// Why the schema's column is not among those described.
struct WhyNot {
  std::string operator()(const HashedColumn&) const { return "hashed: the schema lists no categories"; }
  std::string operator()(const IgnoredColumn&) const { return "ignored by the schema"; }
  std::string operator()(const CategoricalColumn& column) const {
    const bool listed = std::ranges::any_of(column.categories, [](const auto& c) { return c != "other"; });
    return listed ? "none of its statistics was asked for" : "the schema lists no categories";
  }
  std::string operator()(const auto&) const { return "none of its statistics was asked for"; }
};

// Of a text whose categories were looked for.
std::string why_hashed(const DescriptionSplit& split) {
  return std::holds_alternative<Pure>(split.ranges) ? "text, whose categories are found with a delta alone"
                                                    : "text, of which none is frequent";
}

Json left_out(const Schema& schema, const std::string& group_column, const Json& columns) {
  Json reasons = Json::object();
  for (const SchemaColumn& column : schema.columns)
    if (!columns.contains(column.name))
      reasons[column.name] = column.name == group_column ? "the group's column, the same in all records"
                                                         : std::visit(WhyNot{}, column.kind);
  if (schema.target && !schema.target->column.empty() && !columns.contains(schema.target->column)) {
    const SchemaTarget& target = *schema.target;
    reasons[target.column] = target.classes.empty() && !(target.min && target.max)
                                 ? "the schema states neither classes nor a range"
                                 : "none of its statistics was asked for";
  }
  return reasons;
}

}  // namespace

Json description_content(const Schema& schema, const std::string& group_column,
                         const statistics::DescribeOptions& options, std::optional<std::size_t> units,
                         const statistics::Table* table, statistics::Answers& answers) {
  Schema asked = statistics::described(schema);
  for (SchemaColumn& column : asked.columns)
    if (!group_column.empty() && column.name == group_column) column.kind = IgnoredColumn{};
  const statistics::Description found = statistics::describe(asked, options, units, table, answers);
  Json content{
      {"confidence", options.confidence}, {"count", to_json(found.count)}, {"columns", Json::object()}};
  for (const DescribedColumn& column : found.columns)
    if (Json json = of_column(column); !json.empty()) content["columns"][column.name] = std::move(json);
  if (Json reasons = left_out(schema, group_column, content["columns"]); !reasons.empty())
    content["left_out"] = std::move(reasons);
  content["schema"] = Json::parse(schema_to_json(schema));
  return content;
}

void add_found_schema(const statistics::FoundSchema& found, const ReleasedNumbers& released,
                      const ReleasedTexts& texts, const DescriptionSplit& split, Json& content) {
  content["cost"] = {{"schema", to_json(split.ranges)}, {"description", to_json(split.rest)}};
  for (const SchemaColumn& column : found.schema.columns)
    if (std::holds_alternative<HashedColumn>(column.kind))
      content["left_out"][column.name] = why_hashed(split);
  for (const auto& [name, why] : found.left_out) content["left_out"][name] = why;
  for (const std::string& note : found.notes) content["notes"].push_back(note);
  content["ranges"] = {{"released", released}, {"released_texts", texts}};
}

Certificate with_description(Certificate ranges, std::vector<Step> steps, Facts options,
                             const DescriptionSplit& split, const Guarantee& total) {
  ranges.steps = {
      step_of(range_step, split.ranges, std::move(ranges.steps), "the columns' ranges and kinds"),
      step_of(described_step, split.rest, std::move(steps), "the description, whatever the ranges are")};
  ranges.guarantee = together(split.ranges, split.rest, total);
  ranges.options = std::move(options);
  set_part(ranges.options, "range_", split.ranges);
  return ranges;
}

}  // namespace tacit::inline v1
