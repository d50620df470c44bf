#include "tacit/service.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "tacit/core.hpp"

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

}  // namespace tacit::inline v1::service
