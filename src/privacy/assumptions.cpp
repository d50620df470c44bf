#include "privacy/assumptions.hpp"

#include <algorithm>
#include <array>

#include "core/utf8.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::string_view read_off = "read off the data, assumed public";
constexpr std::string_view callers_count = "assumptions_of_the_caller";

struct Row {
  ReadOff what;
  std::string_view key;
  std::string_view value;  // empty: true
  std::string_view sentence;
};

constexpr std::array rows = {
    Row{ReadOff::classes, "classes", read_off,
        "the classes were read off the data and are taken to be public"},
    Row{ReadOff::columns, "columns", read_off,
        "the columns were read off the data and are taken to be public"},
    Row{ReadOff::schema, "schema_drafted_from_data", "",
        "the schema was drafted from the data and is taken to be public"},
    Row{ReadOff::found_schema, "schema_source", "found privately",
        "the schema was found privately and is taken to be public: what that cost comes on top"},
    Row{ReadOff::schemas_columns, "schema_columns", read_off,
        "the schema's columns were read off the data and are taken to be public"},
    Row{ReadOff::schemas_names, "schema_column_names", "of the header, assumed public",
        "the names of the schema's columns are taken to be public"},
    Row{ReadOff::schemas_query, "schema_query", "assumed to treat each record by itself",
        "the schema was found in the rows of a query, which is assumed to treat each record by itself"},
    Row{ReadOff::schemas_group, "schema_group", "by a public column",
        "the schema was found in the records of one group of a public column: their number is public, a "
        "neighbour keeps the column's value, and a record has the same value in every release"},
    Row{ReadOff::target_kind, "target_kind", "read off the first record",
        "that the target has numbers, not classes, was read off the first record"},
    Row{ReadOff::header, "header", "read off the data",
        "whether the first line is a header was read off the data"},
    Row{ReadOff::separator, "separator", "read off the data",
        "what separates the cells was read off the data"},
    Row{ReadOff::names, "column_names", "of the header, assumed public",
        "the names of the columns are taken to be public"},
    Row{ReadOff::query, "query", "assumed to treat each record by itself",
        "the records are the rows of a query, which is assumed to treat each record by itself"},
    Row{ReadOff::group, "group", "by a public column",
        "the records are those of one group of a public column: their number is public, a neighbour keeps "
        "the column's value, and a record has the same value in every release"},
    Row{ReadOff::some, "some_record", "assumed public",
        "that there is at least one record is taken to be public: a table without any is refused"},
};

// Beside a number of the same name, which the method states, the key says that it is about its source.
std::string source_key(std::string_view key) { return std::string(key) + "_source"; }

bool is_value_of(const Row& row, const FactValue& value) {
  if (row.value.empty()) return value == FactValue(true);
  return value == FactValue(std::string(row.value));
}

// What the Python package adds: the words before and after a name of the caller's.
struct Pattern {
  std::string_view before, after;
};
constexpr std::array patterns = {
    Pattern{"the records went through ", ", which may learn from all of them without privacy"},
    Pattern{"the records went through ", ", which is assumed to treat each record by itself"},
    Pattern{"the fit was one of several by ", ", whose scores, and a choice by them, are not private"},
};

// One word: no sentence hides in it.
bool is_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::none_of(text, [](char c) { return c == ' ' || c == ',' || (c >= 0 && c < ' '); });
}

}  // namespace

std::string_view key_of(ReadOff what) { return std::ranges::find(rows, what, &Row::what)->key; }

void assume_public(ReadOff what, Certificate& certificate) {
  const Row& row = *std::ranges::find(rows, what, &Row::what);
  Facts& facts = certificate.assumed_public;
  const std::string key = facts.has(row.key) ? source_key(row.key) : std::string(row.key);
  facts.set(key, row.value.empty() ? FactValue(true) : FactValue(std::string(row.value)));
  certificate.assumptions.emplace_back(row.sentence);
}

ReadOff read_off_named(std::string_view name) {
  const auto row = std::ranges::find(rows, name, &Row::key);
  if (row == rows.end())
    throw_error<DataError>("\"{}\" was read off the data, which no certificate covers", name);
  return row->what;
}

std::optional<std::size_t> callers_assumptions(const Facts& assumed_public) {
  if (!assumed_public.has(callers_count)) return std::nullopt;
  return static_cast<std::size_t>(assumed_public.integer(callers_count));
}

std::string count_fact(Unit unit) { return unit == Unit::user ? "users" : "records"; }

void check_callers_assumptions(const std::vector<std::string>& sentences) {
  for (auto sentence = sentences.begin(); sentence != sentences.end(); ++sentence) {
    if (sentence->find_first_not_of(' ') == std::string::npos)
      throw_error<UsageError>("an assumption of the caller is empty");
    if (!is_plain_utf8(*sentence))
      throw_error<UsageError>(
          "an assumption of the caller is \"{}\", expected one line of UTF-8 without control characters",
          visible(*sentence));
    if (std::find(sentences.begin(), sentence, *sentence) != sentence)
      throw_error<UsageError>("an assumption of the caller is there twice: {}", *sentence);
  }
}

void add_callers_assumptions(const std::vector<std::string>& sentences, Certificate& certificate) {
  std::int64_t added = 0;
  for (const std::string& sentence : sentences) {
    if (std::ranges::find(certificate.assumptions, sentence) != certificate.assumptions.end()) continue;
    certificate.assumptions.push_back(sentence);
    ++added;
  }
  if (added > 0) certificate.assumed_public.set(callers_count, added);
}

std::vector<std::string> assumptions_of(const Facts& assumed_public) {
  std::vector<std::string> sentences;
  for (const Row& row : rows)
    for (const auto& [key, value] : assumed_public.entries())
      if ((key == row.key || key == source_key(row.key)) && is_value_of(row, value))
        sentences.emplace_back(row.sentence);
  return sentences;
}

bool is_assumption(std::string_view key, const FactValue& value) {
  if (key == callers_count) return std::holds_alternative<std::int64_t>(value);
  return std::ranges::any_of(rows, [&](const Row& row) {
    return (key == row.key || key == source_key(row.key)) && is_value_of(row, value);
  });
}

bool stood_by_itself_in_format_1(std::string_view sentence) {
  return std::ranges::any_of(std::array{ReadOff::target_kind, ReadOff::header}, [&](ReadOff what) {
    return sentence == std::ranges::find(rows, what, &Row::what)->sentence;
  });
}

bool stands_by_itself(std::string_view sentence) {
  return std::ranges::any_of(patterns, [&](const Pattern& pattern) {
    return sentence.size() > pattern.before.size() + pattern.after.size() &&
           sentence.starts_with(pattern.before) && sentence.ends_with(pattern.after) &&
           is_name(sentence.substr(pattern.before.size(),
                                   sentence.size() - pattern.before.size() - pattern.after.size()));
  });
}

}  // namespace tacit::inline v1
