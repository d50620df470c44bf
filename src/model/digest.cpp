#include "model/digest.hpp"

#include "core/sha256.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

std::string sealed_bytes(const Json& model) {
  Json rest = model;
  rest.erase("digest");
  rest.erase("signature");
  return canonical(rest);
}

std::string sha256(std::string_view bytes) { return "sha256:" + hex(sha256_of(bytes)); }

std::string layout(const Json& model) {
  std::string text;
  for (const auto& [key, value] : model.items()) {
    // Every model file begins with the same bytes, so that `file` and people know it.
    text += text.empty() ? "{" : key == "version" ? ", " : ",\n ";
    const bool nested = key == "certificate" || key == "schema";
    text += fmt::format("{}: {}", Json(key).dump(), value.dump(nested ? 1 : -1));
  }
  return text + "}\n";
}

}  // namespace tacit::inline v1
