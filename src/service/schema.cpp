#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/utf8.hpp"
#include "data/check.hpp"
#include "tacit/core.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

namespace tacit::inline v1::service {

Schema load_schema(const std::filesystem::path& path) { return read_schema(path); }

std::string draft_schema_text(const DraftOptions& options) { return schema_to_json(draft_schema(options)); }

Schema without_columns(Schema schema, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = std::ranges::find(schema.columns, name, &SchemaColumn::name);
    if (found == schema.columns.end()) {
      std::vector<std::string> known;
      for (const SchemaColumn& column : schema.columns) known.push_back(column.name);
      throw_error<UsageError>("there is no column \"{}\" to exclude, expected one of {}", name,
                              fmt::join(known, ", "));
    }
    found->kind = IgnoredColumn{};
    // A part of a date goes with it.
    std::erase_if(schema.pairs, [&](const auto& pair) {
      return std::ranges::any_of(
          pair, [&](const std::string& of) { return of == name || of.starts_with(name + "."); });
    });
  }
  return schema;
}

SchemaCheck check_schema(const ReadOptions& reading) {
  nlohmann::ordered_json json{{"private", false}, {"columns", nlohmann::ordered_json::object()}};
  std::string text = fmt::format("{:<25} {:>8} {:>7}\n", "column", "outside", "empty");
  for (const CheckedCells& column : check_cells(reading)) {
    json["columns"][column.name] = {{"outside_share", column.outside_share},
                                    {"missing_share", column.missing_share},
                                    {"unmatched_categories", column.unmatched},
                                    {"unseen_categories", column.unseen}};
    text += fmt::format("{:<25} {:>7.2f}% {:>6.2f}%\n", visible(column.name), 100 * column.outside_share,
                        100 * column.missing_share);
    for (const std::string& value : column.unmatched)
      text += fmt::format("  not listed: {}\n", visible(value));
    for (const std::string& value : column.unseen)
      text += fmt::format("  never occurs: {}\n", visible(value));
  }
  text += "Counted on the records as they are: these numbers are not private.\n";
  return {.text = text, .json = json.dump(2) + "\n"};
}

}  // namespace tacit::inline v1::service
