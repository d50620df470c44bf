#include "core/openssl.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <new>

namespace tacit::inline v1 {

void require_openssl() {
  if (OSSL_LIB_CTX_get0_global_default() == nullptr) throw std::bad_alloc();
}

void FreeCipher::operator()(evp_cipher_ctx_st* cipher) const { EVP_CIPHER_CTX_free(cipher); }

Cipher new_cipher() {
  require_openssl();
  Cipher cipher(EVP_CIPHER_CTX_new());
  if (!cipher) throw std::bad_alloc();
  return cipher;
}

}  // namespace tacit::inline v1
