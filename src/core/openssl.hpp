#pragma once

#include <memory>

struct evp_cipher_ctx_st;

namespace tacit::inline v1 {

// Comes before every use of OpenSSL. Where memory ran out as the library began, OpenSSL 3 goes on with locks
// that are not there and the process crashes; this throws std::bad_alloc instead.
void require_openssl();

struct FreeCipher {
  void operator()(evp_cipher_ctx_st* cipher) const;
};
using Cipher = std::unique_ptr<evp_cipher_ctx_st, FreeCipher>;

// Throws std::bad_alloc where there is none.
Cipher new_cipher();

}  // namespace tacit::inline v1
