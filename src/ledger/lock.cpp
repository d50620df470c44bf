#include "ledger/lock.hpp"

#include <openssl/evp.h>

#include <array>
#include <charconv>
#include <limits>

#include "core/openssl.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::size_t tag_size = 16, nonce_size = 12;

void require(int code) {
  if (code != 1) throw_error<Error>("AES-256-GCM is not available");
}

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
int length(std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw_error<InfeasibleError>("a checkpoint of {} bytes is too large", text.size());
  return static_cast<int>(text.size());
}

std::array<unsigned char, 32> parse_key(std::string_view hex) {
  std::array<unsigned char, 32> key{};
  if (hex.size() != 2 * key.size()) throw_error<DataError>("a key has {} digits, expected 64", hex.size());
  for (std::size_t i = 0; i < key.size(); ++i) {
    const char* digits = hex.data() + 2 * i;
    if (std::from_chars(digits, digits + 2, key[i], 16).ptr != digits + 2)
      throw_error<DataError>("a key is not hexadecimal");
  }
  return key;
}

}  // namespace

std::string lock_text(std::string_view text, std::string_view key, std::string_view label) {
  const Cipher context = new_cipher();
  const std::array<unsigned char, nonce_size> nonce{};
  std::string locked(text.size() + tag_size, '\0');
  int written = 0;
  require(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, parse_key(key).data(), nonce.data()));
  require(EVP_EncryptUpdate(context.get(), nullptr, &written, bytes(label), length(label)));
  require(EVP_EncryptUpdate(context.get(), bytes(locked), &written, bytes(text), length(text)));
  require(EVP_EncryptFinal_ex(context.get(), bytes(locked) + text.size(), &written));
  require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, tag_size, bytes(locked) + text.size()));
  return locked;
}

std::string unlock_text(std::string_view locked, std::string_view key, std::string_view label) {
  if (locked.size() < tag_size) throw_error<DataError>("it is cut off");
  const std::string_view body = locked.substr(0, locked.size() - tag_size);
  std::string tag(locked.substr(body.size()));
  const Cipher context = new_cipher();
  const std::array<unsigned char, nonce_size> nonce{};
  std::string text(body.size(), '\0');
  int written = 0;
  require(EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, parse_key(key).data(), nonce.data()));
  require(EVP_DecryptUpdate(context.get(), nullptr, &written, bytes(label), length(label)));
  require(EVP_DecryptUpdate(context.get(), bytes(text), &written, bytes(body), length(body)));
  require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, tag_size, bytes(tag)));
  if (EVP_DecryptFinal_ex(context.get(), bytes(text) + text.size(), &written) != 1)
    throw_error<DataError>("it is damaged or was edited");
  return text;
}

}  // namespace tacit::inline v1
