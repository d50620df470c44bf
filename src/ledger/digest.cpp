#include "ledger/digest.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <span>
#include <vector>

#include "ledger/lock.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

std::string hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace

std::string fingerprint(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1 ||
      length != digest.size())
    throw_error<Error>("SHA-256 is not available");
  return hex(digest);
}

std::string random_hex(std::size_t count) {
  std::vector<unsigned char> bytes(count);
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw_error<Error>("the random number generator failed");
  return hex(bytes);
}

}  // namespace tacit::inline v1
