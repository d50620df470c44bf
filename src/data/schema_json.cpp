#include <charconv>
#include <set>

#include "core/utf8.hpp"
#include "data/iso_date.hpp"
#include "data/schema_limits.hpp"
#include "data/schema_node.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {
namespace {

using Json = SchemaJson;
using Node = SchemaNode;

constexpr std::string_view indicator = "indicator";

bool says_indicator(const Node& node) { return node.value.is_string() && node.text() == indicator; }

double date_of(const Node& node) {
  const auto date = date_in(node.text());
  if (!date) node.expected("an ISO date or time, such as \"2024-05-31\" or \"2024-05-31T08:15Z\"");
  return date->seconds;
}

// Numbers, or dates as seconds.
double value_of(const Node& node, bool dates) { return dates ? date_of(node) : node.number(); }

Knots knots_of(const Node& node, bool dates) {
  if (node.value.is_array()) {
    std::vector<double> knots;
    for (const Node& entry : node.entries("")) knots.push_back(value_of(entry, dates));
    return knots;
  }
  if (node.value.is_number()) return node.count(1, most_knots);
  if (!node.value.is_string() || node.text() != "auto")
    node.expected("\"auto\", a number, or a list of knots");
  return AutoKnots{};
}

// What numbers and dates have in common.
NumericColumn range_of(const Node& node, bool dates) {
  NumericColumn column{.min = value_of(node.required("min"), dates),
                       .max = value_of(node.required("max"), dates)};
  if (node.has("missing")) {
    const Node missing = node.at("missing");
    column.missing_indicator = says_indicator(missing);
    if (!column.missing_indicator) column.missing = value_of(missing, dates);
  }
  if (node.has("knots")) column.knots = knots_of(node.at("knots"), dates);
  return column;
}

bool says_log1p(const Node& node) {
  if (!node.has("transform")) return false;
  if (node.at("transform").text() != "log1p") node.at("transform").expected("\"log1p\"");
  return true;
}

NumericColumn numeric_column(const Node& node) {
  node.object_of({"type", "min", "max", "transform", "missing", "knots", "integer"});
  NumericColumn column = range_of(node, false);
  column.log1p = says_log1p(node);
  if (node.has("integer")) column.integer = node.at("integer").boolean();
  return column;
}

DateColumn date_column(const Node& node) {
  node.object_of({"type", "min", "max", "missing", "knots", "parts"});
  DateColumn column{.number = range_of(node, true)};
  if (!node.has("parts")) return column;
  for (const Node& part : node.at("parts").entries("a list of parts")) {
    const std::string name = part.text();
    bool* const wanted = name == "month"     ? &column.month
                         : name == "weekday" ? &column.weekday
                         : name == "hour"    ? &column.hour
                                             : nullptr;
    if (wanted == nullptr) part.expected("\"month\", \"weekday\" or \"hour\"");
    if (*wanted) part.fail("{} appears twice", shown(name));
    *wanted = true;
  }
  return column;
}

CategoricalColumn categorical_column(const Node& node) {
  node.object_of({"type", "categories", "missing", "other"});
  const Node listed = node.required("categories");
  if (listed.value.size() > most_categories)
    listed.expected(
        fmt::format("at most {} texts (the type hashed takes any number of values)", most_categories));
  CategoricalColumn column{.categories = listed.texts()};
  if (node.has("other")) column.other = node.at("other").number();
  if (!node.has("missing")) return column;
  const std::string missing = node.at("missing").text();
  const bool a_category = std::ranges::find(column.categories, missing) != column.categories.end();
  column.missing_indicator = missing == indicator && !a_category;
  if (!column.missing_indicator) column.missing = missing;
  return column;
}

// 32 hexadecimal digits: the 16 bytes of the key in their order.
HashKey key_of(const Node& node) {
  const std::string text = node.text();
  HashKey key{};
  bool good = text.size() == 32;
  for (std::size_t k = 0; good && k < 16; ++k) {
    unsigned byte = 0;
    const char* const end = text.data() + 2 * k + 2;
    good = std::from_chars(end - 2, end, byte, 16).ptr == end;
    key[k / 8] |= static_cast<std::uint64_t>(byte) << (8 * (k % 8));
  }
  if (!good) node.expected("32 hexadecimal digits");
  return key;
}

HashedColumn hashed_column(const Node& node) {
  node.object_of({"type", "buckets", "hash_key", "missing"});
  HashedColumn column{.buckets = node.required("buckets").count(2, most_buckets)};
  if (node.has("hash_key")) column.key = key_of(node.at("hash_key"));
  if (!node.has("missing")) return column;
  column.missing_indicator = says_indicator(node.at("missing"));
  if (!column.missing_indicator) column.missing = node.at("missing").text();
  return column;
}

SchemaColumn column_of(const std::string& name, const Node& node) {
  if (!node.value.is_object()) node.expected("an object");
  const Node type = node.required("type");
  const std::string kind = type.text();
  if (kind == "numeric") return {name, numeric_column(node)};
  if (kind == "categorical") return {name, categorical_column(node)};
  if (kind == "hashed") return {name, hashed_column(node)};
  if (kind == "date") return {name, date_column(node)};
  if (kind != "ignore") type.expected("\"numeric\", \"categorical\", \"hashed\", \"date\" or \"ignore\"");
  node.object_of({"type"});
  return {name, IgnoredColumn{}};
}

SchemaTarget target_of(const Node& node) {
  node.object_of({"column", "classes", "min", "max", "transform"});
  SchemaTarget target;
  if (node.has("column")) target.column = node.at("column").text();
  if (node.has("classes")) {
    target.classes = node.at("classes").texts();
    if (target.classes.empty()) node.at("classes").expected("at least two classes");
  }
  if (node.has("min")) target.min = node.at("min").number();
  if (node.has("max")) target.max = node.at("max").number();
  target.log1p = says_log1p(node);
  return target;
}

std::array<std::string, 2> pair_of(const Node& node) {
  const std::vector<std::string> names = node.value.is_array() ? node.texts() : std::vector<std::string>{};
  if (names.size() != 2) node.expected("a list of two columns");
  return {names[0], names[1]};
}

// A key given twice would silently lose one of its values, so it is refused while parsing.
Json parse_json(std::string_view text, std::string_view source) {
  std::vector<std::set<std::string>> open_objects;
  const auto check_keys = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == Json::parse_event_t::object_end) open_objects.pop_back();
    if (event == Json::parse_event_t::key && !open_objects.back().insert(value.get<std::string>()).second)
      throw_error<DataError>("{}: the key {} appears twice", source, shown(value.get<std::string>()));
    return true;
  };
  try {
    return Json::parse(text, check_keys);
  } catch (const nlohmann::json::parse_error& error) {
    const auto before = text.substr(0, error.byte > 0 ? error.byte - 1 : 0);
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    throw_error<DataError>("{}:{}:{}: not valid JSON", source, line, column);
  } catch (const nlohmann::json::out_of_range&) {
    throw_error<DataError>("{}: a number is too large for a double", source);
  }
}

}  // namespace

namespace {

// A model has a schema within it, but is none.
void require_no_other_format(const Json& document, std::string_view source) {
  const std::string_view own = "tacit-";
  if (!document.is_object() || !document.contains("format") || !document["format"].is_string()) return;
  const std::string format = document["format"].get<std::string>();
  if (format.starts_with(own) && format != "tacit-schema")
    throw_error<DataError>("{}: this is a {}, expected a schema", source,
                           visible(std::string_view(format).substr(own.size())));
}

// What a private schema states of its release is for `verify`.
void leave_out_release(Json& document) {
  if (!document.is_object() || !document.contains("certificate")) return;
  for (const char* key :
       {"format", "version", "private", "guarantee", "unit", "neighbours", "assumptions", "left_out", "notes",
        "released", "released_texts", "certificate", "digest", "signature"})
    document.erase(key);
}

}  // namespace

Schema parse_schema(std::string_view text, std::string_view source) {
  Json document = parse_json(text, source);
  require_no_other_format(document, source);
  const bool found_privately = document.is_object() && document.contains("certificate");
  leave_out_release(document);
  const Node root{document, source, ""};
  root.object_of(
      {"columns", "pairs", "target", "user", "others", "unreadable", "decimal", "drafted_from_data"});
  Schema schema;
  if (root.has("columns")) {
    const Node columns = root.at("columns");
    if (!columns.value.is_object()) columns.expected("an object with one entry per column");
    for (const auto& [name, unused] : columns.value.items())
      schema.columns.push_back(column_of(name, columns.at(name)));
  }
  if (root.has("pairs"))
    for (const Node& entry : root.at("pairs").entries("a list of pairs of columns"))
      schema.pairs.push_back(pair_of(entry));
  if (root.has("target")) schema.target = target_of(root.at("target"));
  if (root.has("user")) {
    root.at("user").object_of({"column"});
    schema.user = root.at("user").required("column").text();
    if (schema.user.empty()) root.at("user").fail("the column's name is empty");
  }
  if (root.has("others")) {
    if (root.at("others").text() != "ignore") root.at("others").expected("\"ignore\"");
    schema.ignore_others = true;
  }
  if (root.has("unreadable")) {
    if (root.at("unreadable").text() != "missing") root.at("unreadable").expected("\"missing\"");
    schema.unreadable_missing = true;
  }
  if (root.has("decimal")) {
    const std::string mark = root.at("decimal").text();
    if (mark != "." && mark != ",") root.at("decimal").expected("\".\" or \",\"");
    schema.decimal = mark.front();
  }
  schema.found_privately = found_privately;
  if (root.has("drafted_from_data")) schema.drafted_from_data = root.at("drafted_from_data").boolean();
  validate(schema, source);
  return schema;
}

Schema read_schema(const std::filesystem::path& path) { return parse_schema(read_file(path), path.string()); }

}  // namespace tacit::inline v1
