#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/schema_cost.hpp"
#include "tacit/fit.hpp"

namespace tacit::inline v1::service {

// Of the schema with this text; none where it has no certificate. DataError for one that states no guarantee
// that a schema can have.
TACIT_API std::optional<SchemaRelease> schema_release(std::string_view text, std::string_view source);

// UsageError for a schema that was found privately, where nobody says what that cost.
void require_cost_stated(const std::optional<Schema>& schema, const std::optional<SchemaRelease>& stated);

// Where the records of one or more files come from: of encoded cells, what the tables were that they were
// made of.
struct Origin {
  bool by_query = false;
  // Texts of the schemas that encoded the cells, each once; empty for one that was not found privately.
  std::vector<std::string> schema_files = {};

  void add(const Origin& more);
  // UsageError where the schemas are not the same.
  std::optional<SchemaRelease> schema_release() const;
};
Origin origin_of(const ReadOptions& reading);

// As certificates state it.
SchemaCost schema_cost(const SchemaRelease& found);

}  // namespace tacit::inline v1::service
