#include "tacit/service.hpp"

namespace tacit::inline v1::service {

Schema load_schema(const std::filesystem::path& path) { return read_schema(path); }

std::string draft_schema_text(const DraftOptions& options) { return schema_to_json(draft_schema(options)); }

}  // namespace tacit::inline v1::service
