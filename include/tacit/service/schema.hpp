#pragma once

#include <filesystem>
#include <string>

#include "tacit/core/api.hpp"
#include "tacit/data/draft.hpp"
#include "tacit/data/schema.hpp"

namespace tacit::inline v1::service {

TACIT_API Schema load_schema(const std::filesystem::path& path);

// A first schema for the file as JSON text, marked as drafted from the data.
TACIT_API std::string draft_schema_text(const DraftOptions& options);

}  // namespace tacit::inline v1::service
