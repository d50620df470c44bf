#include "ledger/digest.hpp"

#include <openssl/rand.h>

#include <vector>

#include "core/openssl.hpp"
#include "core/sha256.hpp"
#include "ledger/lock.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

std::string fingerprint(std::string_view text) { return hex(sha256_of(text)); }

std::string random_hex(std::size_t count) {
  require_openssl();
  std::vector<unsigned char> bytes(count);
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
    throw_error<Error>("the random number generator failed");
  return hex(bytes);
}

}  // namespace tacit::inline v1
