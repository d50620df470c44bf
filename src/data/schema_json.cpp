#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "tacit/core/error.hpp"
#include "tacit/core/files.hpp"
#include "tacit/data/schema.hpp"
#include "text.hpp"

namespace tacit::inline v1 {
namespace {

using Json = nlohmann::ordered_json;  // the order of the columns is the order of the features

// A value in the document and the path to it, for messages.
struct Node {
  const Json& value;
  std::string_view source;
  std::string path;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw_error<DataError>("{}: {}: {}", source, path.empty() ? "top level" : path,
                           fmt::format(format, std::forward<Args>(args)...));
  }
  [[noreturn]] void expected(std::string_view what) const {
    fail("expected {}, got {}", what, value.is_primitive() ? value.dump() : value.type_name());
  }

  Node at(const std::string& key) const {
    return {value.at(key), source, path.empty() ? key : fmt::format("{}.{}", path, key)};
  }
  bool has(const std::string& key) const { return value.contains(key); }
  Node required(const std::string& key) const {
    if (!has(key)) fail("lacks {}", shown(key));
    return at(key);
  }

  void object_of(std::initializer_list<std::string_view> known) const {
    if (!value.is_object()) expected("an object");
    for (const auto& [key, unused] : value.items())
      if (std::ranges::find(known, key) == known.end())
        fail("unknown key {}, expected one of {}", shown(key), fmt::join(known, ", "));
  }
  double number() const {
    if (!value.is_number()) expected("a number");
    return value.get<double>();
  }
  bool boolean() const {
    if (!value.is_boolean()) expected("true or false");
    return value.get<bool>();
  }
  std::string text() const {
    if (!value.is_string()) expected("a text");
    return value.get<std::string>();
  }
  std::vector<std::string> texts() const {
    if (!value.is_array()) expected("a list of texts");
    std::vector<std::string> result;
    for (std::size_t i = 0; i < value.size(); ++i)
      result.push_back(Node{value[i], source, fmt::format("{}[{}]", path, i)}.text());
    return result;
  }
};

NumericColumn numeric_column(const Node& node) {
  node.object_of({"type", "min", "max", "transform", "missing"});
  NumericColumn column{.min = node.required("min").number(), .max = node.required("max").number()};
  if (node.has("transform")) {
    if (node.at("transform").text() != "log1p") node.at("transform").expected("\"log1p\"");
    column.log1p = true;
  }
  if (node.has("missing")) column.missing = node.at("missing").number();
  return column;
}

CategoricalColumn categorical_column(const Node& node) {
  node.object_of({"type", "categories", "missing"});
  CategoricalColumn column{.categories = node.required("categories").texts()};
  if (node.has("missing")) column.missing = node.at("missing").text();
  return column;
}

SchemaColumn column_of(const std::string& name, const Node& node) {
  if (!node.value.is_object()) node.expected("an object");
  const Node type = node.required("type");
  const std::string kind = type.text();
  if (kind == "numeric") return {name, numeric_column(node)};
  if (kind == "categorical") return {name, categorical_column(node)};
  if (kind != "ignore") type.expected("\"numeric\", \"categorical\" or \"ignore\"");
  node.object_of({"type"});
  return {name, IgnoredColumn{}};
}

SchemaTarget target_of(const Node& node) {
  node.object_of({"column", "classes", "min", "max"});
  SchemaTarget target;
  if (node.has("column")) target.column = node.at("column").text();
  if (node.has("classes")) {
    target.classes = node.at("classes").texts();
    if (target.classes.empty()) node.at("classes").expected("at least two classes");
  }
  if (node.has("min")) target.min = node.at("min").number();
  if (node.has("max")) target.max = node.at("max").number();
  return target;
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

// As JSON text, shortest form that reads back the same.
std::string quoted(const std::string& text) { return Json(text).dump(); }

std::string list(const std::vector<std::string>& texts) {
  std::string result;
  for (const auto& text : texts) result += (result.empty() ? "" : ", ") + quoted(text);
  return "[" + result + "]";
}

std::string column_json(const NumericColumn& column) {
  std::string json = fmt::format(R"("type": "numeric", "min": {}, "max": {})", column.min, column.max);
  if (column.log1p) json += R"(, "transform": "log1p")";
  if (column.missing) json += fmt::format(R"(, "missing": {})", *column.missing);
  return json;
}

std::string column_json(const CategoricalColumn& column) {
  std::string json = R"("type": "categorical", "categories": )" + list(column.categories);
  if (column.missing) json += R"(, "missing": )" + quoted(*column.missing);
  return json;
}

std::string column_json(const IgnoredColumn&) { return R"("type": "ignore")"; }

std::string target_json(const SchemaTarget& target) {
  std::vector<std::string> parts;
  if (!target.column.empty()) parts.push_back(R"("column": )" + quoted(target.column));
  if (!target.classes.empty()) parts.push_back(R"("classes": )" + list(target.classes));
  if (target.min) parts.push_back(fmt::format(R"("min": {})", *target.min));
  if (target.max) parts.push_back(fmt::format(R"("max": {})", *target.max));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

Schema parse_schema(std::string_view text, std::string_view source) {
  const Json document = parse_json(text, source);
  const Node root{document, source, ""};
  root.object_of({"columns", "target", "user", "others", "drafted_from_data"});
  Schema schema;
  if (root.has("columns")) {
    const Node columns = root.at("columns");
    if (!columns.value.is_object()) columns.expected("an object with one entry per column");
    for (const auto& [name, unused] : columns.value.items())
      schema.columns.push_back(column_of(name, columns.at(name)));
  }
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
  if (root.has("drafted_from_data")) schema.drafted_from_data = root.at("drafted_from_data").boolean();
  validate(schema, source);
  return schema;
}

Schema read_schema(const std::filesystem::path& path) { return parse_schema(read_file(path), path.string()); }

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
  if (schema.target) parts.push_back("  \"target\": " + target_json(*schema.target));
  if (!schema.user.empty())
    parts.push_back(fmt::format("  \"user\": {{\"column\": {}}}", quoted(schema.user)));
  if (schema.ignore_others) parts.push_back(R"(  "others": "ignore")");
  return fmt::format("{{\n{}\n}}\n", fmt::join(parts, ",\n"));
}

}  // namespace tacit::inline v1
