#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <memory>

#include "core/openssl.hpp"
#include "model/digest.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

constexpr std::string_view algorithm = "ed25519:";
constexpr std::size_t signature_size = 64;  // RFC 8032, section 5.1.6

// What is signed starts with its purpose, so that a signature of something else can never be passed off as
// one of a model, or of a statement: which of these it is, is among the bytes.
std::string purposed(std::string_view bytes) {
  return "tacit-model signature, version 1\n" + std::string(bytes);
}

// A key that wants a passphrase is refused rather than asked for: the tool also runs where nobody answers.
int no_passphrase(char*, int, int, void*) { return -1; }

template <class Read>
Key read_key(std::string_view pem, Read read, std::string_view what) {
  require_openssl();
  const Memory memory(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  Key key(memory ? read(memory.get(), nullptr, no_passphrase, nullptr) : nullptr, EVP_PKEY_free);
  ERR_clear_error();
  if (!key || EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519)
    throw_error<UsageError>("the key is not an Ed25519 {0} key in PEM without a passphrase; {1} makes one",
                            what,
                            what == "private" ? "`openssl genpkey -algorithm ed25519 -out key.pem`"
                                              : "`openssl pkey -in key.pem -pubout -out key.pub`");
  return key;
}

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string base64(const unsigned char* bytes, std::size_t size) {
  std::string text(4 * ((size + 2) / 3) + 1, '\0');  // EVP_EncodeBlock also writes a final zero
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

// The 64 bytes of a signature, or nothing.
std::string decode_signature(std::string_view signature) {
  if (!signature.starts_with(algorithm)) return {};
  signature.remove_prefix(algorithm.size());
  if (signature.size() != 4 * ((signature_size + 2) / 3)) return {};
  std::string bytes(signature_size + 2, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     unsigned_bytes(signature), static_cast<int>(signature.size()));
  if (length != static_cast<int>(bytes.size())) return {};
  bytes.resize(signature_size);  // what padding decoded to
  return bytes;
}

}  // namespace

std::string sign_ed25519(std::string_view bytes, std::string_view private_key_pem) {
  const Key key = read_key(private_key_pem, PEM_read_bio_PrivateKey, "private");
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const std::string message = purposed(bytes);
  unsigned char signature[signature_size];
  std::size_t size = signature_size;
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), signature, &size, unsigned_bytes(message), message.size()) != 1)
    throw_error<Error>("OpenSSL could not sign the file");
  return std::string(algorithm) + base64(signature, size);
}

void require_signature_form(std::string_view signature) {
  if (decode_signature(signature).empty())
    throw_error<VerificationError>("the signature is not an Ed25519 signature in base64");
}

void check_ed25519(std::string_view bytes, std::string_view signature, std::string_view public_key_pem) {
  const Key key = read_key(public_key_pem, PEM_read_bio_PUBKEY, "public");
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const std::string message = purposed(bytes), decoded = decode_signature(signature);
  if (decoded.empty()) throw_error<VerificationError>("the signature is not an Ed25519 signature in base64");
  if (!context || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1)
    throw_error<Error>("OpenSSL could not check the signature");
  const int result = EVP_DigestVerify(context.get(), unsigned_bytes(decoded), decoded.size(),
                                      unsigned_bytes(message), message.size());
  ERR_clear_error();
  if (result != 1)
    throw_error<VerificationError>(
        "the signature does not hold: the file was changed, or another key signed it");
}

}  // namespace tacit::inline v1
