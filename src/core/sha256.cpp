#include "core/sha256.hpp"

#include <openssl/evp.h>

#include "core/openssl.hpp"

namespace tacit::inline v1 {

Sha256 sha256_of(std::string_view bytes) {
  require_openssl();
  Sha256 digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1 ||
      size != digest.size())
    throw_error<Error>("OpenSSL could not compute a SHA-256 digest");
  return digest;
}

std::string hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace tacit::inline v1
