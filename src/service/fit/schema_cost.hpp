#pragma once

#include <optional>
#include <string_view>

#include "model/schema_cost.hpp"
#include "tacit/fit.hpp"

namespace tacit::inline v1::service {

// Of the schema with this text; none where it has no certificate. DataError for one that states no guarantee
// that a schema can have.
TACIT_API std::optional<SchemaRelease> schema_release(std::string_view text, std::string_view source);

// As certificates state it.
SchemaCost schema_cost(const SchemaRelease& found);

}  // namespace tacit::inline v1::service
