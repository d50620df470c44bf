#include "model/digest.hpp"

#include <openssl/evp.h>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

std::string sealed_bytes(const Json& model) {
  Json rest = model;
  rest.erase("digest");
  rest.erase("signature");
  return canonical(rest);
}

std::string sha256(std::string_view bytes) {
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), hash, &size, EVP_sha256(), nullptr) != 1)
    throw_error<Error>("OpenSSL could not compute a SHA-256 digest");
  std::string text = "sha256:";
  for (unsigned int k = 0; k < size; ++k) text += fmt::format("{:02x}", hash[k]);
  return text;
}

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
