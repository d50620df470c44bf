#include <fmt/format.h>

#include "data/iso_date.hpp"
#include "data/schema_node.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {
namespace {

// As JSON text, shortest form that reads back the same.
std::string quoted(const std::string& text) { return SchemaJson(text).dump(); }

std::string list(const std::vector<std::string>& texts) {
  std::string result;
  for (const auto& text : texts) result += (result.empty() ? "" : ", ") + quoted(text);
  return "[" + result + "]";
}

// −0 is 0: "-0" would be read as a whole number, which has no sign.
std::string number_json(double value) { return fmt::format("{}", value == 0 ? 0.0 : value); }

// A number, or a date in seconds as its text.
std::string value_json(double value, bool dates) {
  return dates ? quoted(date_text(value)) : number_json(value);
}

std::string missing_json(bool with_indicator, const std::optional<std::string>& json) {
  if (with_indicator) return R"(, "missing": "indicator")";
  return json ? R"(, "missing": )" + *json : "";
}

std::string knots_json(const Knots& knots, bool dates) {
  if (const auto* count = std::get_if<std::size_t>(&knots)) return fmt::format(R"(, "knots": {})", *count);
  const auto* values = std::get_if<std::vector<double>>(&knots);
  if (values == nullptr) return "";
  std::vector<std::string> texts;
  for (const double value : *values) texts.push_back(value_json(value, dates));
  return fmt::format(R"(, "knots": [{}])", fmt::join(texts, ", "));
}

std::string range_json(std::string_view type, const NumericColumn& column, bool dates) {
  std::string json = fmt::format(R"("type": "{}", "min": {}, "max": {})", type, value_json(column.min, dates),
                                 value_json(column.max, dates));
  if (column.log1p) json += R"(, "transform": "log1p")";
  if (column.integer) json += R"(, "integer": true)";
  json += knots_json(column.knots, dates);
  std::optional<std::string> missing;
  if (column.missing) missing = value_json(*column.missing, dates);
  return json + missing_json(column.missing_indicator, missing);
}

std::string column_json(const NumericColumn& column) { return range_json("numeric", column, false); }

std::string column_json(const DateColumn& column) {
  std::vector<std::string> parts;
  if (column.month) parts.push_back("month");
  if (column.weekday) parts.push_back("weekday");
  if (column.hour) parts.push_back("hour");
  return range_json("date", column.number, true) + (parts.empty() ? "" : R"(, "parts": )" + list(parts));
}

std::string column_json(const CategoricalColumn& column) {
  std::optional<std::string> missing;
  if (column.missing) missing = quoted(*column.missing);
  return R"("type": "categorical", "categories": )" + list(column.categories) +
         (column.other ? fmt::format(R"(, "other": {})", *column.other) : "") +
         missing_json(column.missing_indicator, missing);
}

std::string column_json(const HashedColumn& column) {
  std::string key;
  for (std::size_t k = 0; k < 16; ++k)
    key += fmt::format("{:02x}", column.key[k / 8] >> (8 * (k % 8)) & 0xff);
  std::optional<std::string> missing;
  if (column.missing) missing = quoted(*column.missing);
  return fmt::format(R"("type": "hashed", "buckets": {}, "hash_key": "{}"{})", column.buckets, key,
                     missing_json(column.missing_indicator, missing));
}

std::string column_json(const IgnoredColumn&) { return R"("type": "ignore")"; }

std::string target_json(const SchemaTarget& target) {
  std::vector<std::string> parts;
  if (!target.column.empty()) parts.push_back(R"("column": )" + quoted(target.column));
  if (!target.classes.empty()) parts.push_back(R"("classes": )" + list(target.classes));
  if (target.min) parts.push_back(R"("min": )" + number_json(*target.min));
  if (target.max) parts.push_back(R"("max": )" + number_json(*target.max));
  if (target.log1p) parts.push_back(R"("transform": "log1p")");
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

std::string schema_to_json(const Schema& schema) {
  validate(schema);
  std::vector<std::string> columns, parts;
  for (const auto& column : schema.columns)
    columns.push_back(std::visit(
        [&](const auto& kind) {
          return fmt::format("    {}: {{{}}}", quoted(column.name), column_json(kind));
        },
        column.kind));
  if (schema.drafted_from_data) parts.push_back(R"(  "drafted_from_data": true)");
  if (!columns.empty())
    parts.push_back(fmt::format("  \"columns\": {{\n{}\n  }}", fmt::join(columns, ",\n")));
  if (!schema.pairs.empty()) {
    std::vector<std::string> pairs;
    for (const auto& [first, second] : schema.pairs) pairs.push_back(list({first, second}));
    parts.push_back(fmt::format("  \"pairs\": [{}]", fmt::join(pairs, ", ")));
  }
  if (schema.target) parts.push_back("  \"target\": " + target_json(*schema.target));
  if (!schema.user.empty())
    parts.push_back(fmt::format("  \"user\": {{\"column\": {}}}", quoted(schema.user)));
  if (schema.ignore_others) parts.push_back(R"(  "others": "ignore")");
  if (schema.unreadable_missing) parts.push_back(R"(  "unreadable": "missing")");
  if (schema.decimal) parts.push_back(fmt::format(R"(  "decimal": "{}")", *schema.decimal));
  return fmt::format("{{\n{}\n}}\n", fmt::join(parts, ",\n"));
}

}  // namespace tacit::inline v1
