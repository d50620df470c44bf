#include <fmt/format.h>

#include "data/iso_date.hpp"
#include "model/statement.hpp"

namespace tacit::inline v1 {

namespace {

using statistics::DescribedColumn;
using statistics::Estimate;

Json of_column(const DescribedColumn& column) {
  Json json = Json::object();
  if (column.presence) {
    json["count"] = to_json(column.presence->count);
    json["missing"] = to_json(column.presence->missing);
  }
  if (column.mean) json["mean"] = to_json(*column.mean);
  for (const auto& [level, value] : column.quantiles)
    json["quantiles"][fmt::format("{}", level)] = to_json(value);
  if (!column.histogram.empty()) {
    Json counts = Json::array();
    for (const Estimate& cell : column.histogram) counts.push_back(to_json(cell));
    json["histogram"] = {{"edges", column.edges}, {"counts", counts}};
  }
  for (const auto& [name, value] : column.categories) json["categories"][name] = to_json(value);
  return json;
}

}  // namespace

Json description_content(const Schema& schema, const statistics::DescribeOptions& options,
                         std::optional<std::size_t> units, const statistics::Table* table,
                         statistics::Answers& answers) {
  const statistics::Description found =
      statistics::describe(statistics::described(schema), options, units, table, answers);
  Json content{
      {"confidence", options.confidence}, {"count", to_json(found.count)}, {"columns", Json::object()}};
  for (const DescribedColumn& column : found.columns) content["columns"][column.name] = of_column(column);
  content["schema"] = Json::parse(schema_to_json(schema));
  return content;
}

}  // namespace tacit::inline v1
