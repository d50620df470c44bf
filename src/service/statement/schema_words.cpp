#include "service/statement/schema_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/utf8.hpp"
#include "data/iso_date.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1::service {

namespace {

std::string kind_words(const NumericColumn& column) {
  return fmt::format("{}s from {} to {}{}", column.integer ? "whole number" : "number", column.min,
                     column.max, column.log1p ? ", by their logarithm" : "");
}
std::string kind_words(const DateColumn& column) {
  return fmt::format("dates from {} to {}", date_text(column.number.min), date_text(column.number.max));
}
std::string kind_words(const CategoricalColumn& column) {
  const std::size_t count = column.categories.size();
  return fmt::format("{} {}, and other", count, count == 1 ? "category" : "categories");
}
std::string kind_words(const HashedColumn& column) {
  return fmt::format("text, hashed into {} buckets", column.buckets);
}
std::string kind_words(const IgnoredColumn&) { return "left out"; }

std::string target_words(const SchemaTarget& target) {
  if (!target.classes.empty()) {
    std::vector<std::string> shown;
    for (const std::string& name : target.classes) shown.push_back(visible(name));
    return fmt::format("the target: {} classes, {}", shown.size(), fmt::join(shown, ", "));
  }
  if (target.min && target.max)
    return fmt::format("the target: numbers from {} to {}", *target.min, *target.max);
  return "the target: neither classes nor a range";
}

// One line for each column: its name, and what it became.
std::string column_lines(const Schema& schema) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const SchemaColumn& column : schema.columns)
    lines.emplace_back(visible(column.name),
                       std::visit([](const auto& kind) { return kind_words(kind); }, column.kind));
  if (schema.target) lines.emplace_back(visible(schema.target->column), target_words(*schema.target));
  if (!schema.user.empty()) lines.emplace_back(visible(schema.user), "the user");
  constexpr std::size_t widest = 30;
  std::size_t width = 0;
  for (const auto& [name, words] : lines) width = std::max(width, std::min(name.size(), widest));
  std::string text;
  for (const auto& [name, words] : lines) text += fmt::format("{:<{}}  {}\n", name, width, words);
  return text;
}

}  // namespace

std::vector<std::string> schema_notes(const statistics::FoundSchema& found) {
  std::vector<std::string> lines;
  for (const auto& [name, why] : found.left_out)
    lines.push_back(fmt::format("Left out: {} ({})", visible(name), why));
  for (const auto* notes : {&found.notes, &found.hints})
    for (const std::string& note : *notes) lines.push_back("Note: " + visible(note));
  return lines;
}

std::string schema_words(const statistics::FoundSchema& found, const Certificate& certificate) {
  std::string words = summary_text(certificate) + column_lines(found.schema);
  for (const std::string& line : schema_notes(found)) words += line + ".\n";
  return words;
}

}  // namespace tacit::inline v1::service
