#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/utf8.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

using SchemaJson = nlohmann::ordered_json;  // the order of the columns is the order of the features

// A value in the document and the path to it, for messages.
struct SchemaNode {
  const SchemaJson& value;
  std::string_view source;
  std::string path;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw_error<DataError>("{}: {}: {}", source, path.empty() ? "top level" : visible(path),
                           fmt::format(format, std::forward<Args>(args)...));
  }
  [[noreturn]] void expected(std::string_view what) const {
    fail("expected {}, got {}", what, value.is_primitive() ? value.dump() : value.type_name());
  }

  SchemaNode at(const std::string& key) const {
    return {value.at(key), source, path.empty() ? key : fmt::format("{}.{}", path, key)};
  }
  bool has(const std::string& key) const { return value.contains(key); }
  SchemaNode required(const std::string& key) const {
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
  // A whole number from `least` to `most`.
  std::size_t count(std::size_t least, std::size_t most) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least ||
        value.get<std::uint64_t>() > most)
      expected(fmt::format("a whole number, {} to {}", least, most));
    return value.get<std::size_t>();
  }
  std::vector<SchemaNode> entries(std::string_view what) const {
    if (!value.is_array()) expected(what);
    std::vector<SchemaNode> result;
    for (std::size_t i = 0; i < value.size(); ++i)
      result.push_back({value[i], source, fmt::format("{}[{}]", path, i)});
    return result;
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (const SchemaNode& entry : entries("a list of texts")) result.push_back(entry.text());
    return result;
  }
};

}  // namespace tacit::inline v1
