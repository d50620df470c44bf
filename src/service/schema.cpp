#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data/check.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

namespace tacit::inline v1::service {

Schema load_schema(const std::filesystem::path& path) { return read_schema(path); }

std::string draft_schema_text(const DraftOptions& options) { return schema_to_json(draft_schema(options)); }

SchemaCheck check_schema(const ReadOptions& reading) {
  nlohmann::ordered_json json{{"private", false}, {"columns", nlohmann::ordered_json::object()}};
  std::string text = fmt::format("{:<25} {:>8} {:>7}\n", "column", "outside", "empty");
  for (const CheckedCells& column : check_cells(reading)) {
    json["columns"][column.name] = {{"outside_share", column.outside_share},
                                    {"missing_share", column.missing_share},
                                    {"unmatched_categories", column.unmatched},
                                    {"unseen_categories", column.unseen}};
    text += fmt::format("{:<25} {:>7.2f}% {:>6.2f}%\n", column.name, 100 * column.outside_share,
                        100 * column.missing_share);
    for (const std::string& value : column.unmatched) text += fmt::format("  not listed: {}\n", value);
    for (const std::string& value : column.unseen) text += fmt::format("  never occurs: {}\n", value);
  }
  text += "Counted on the records as they are: these numbers are not private.\n";
  return {.text = text, .json = json.dump(2) + "\n"};
}

}  // namespace tacit::inline v1::service
