#include "model/statement.hpp"

namespace tacit::inline v1 {

Json found_schema_content(const statistics::FoundSchema& found) {
  Json content = Json::parse(schema_to_json(found.schema));
  for (const auto& [name, why] : found.left_out) content["left_out"][name] = why;
  for (const std::string& note : found.notes) content["notes"].push_back(note);
  return content;
}

}  // namespace tacit::inline v1
