#pragma once

#include <string>
#include <string_view>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// AES-256-GCM. The key, 64 hexadecimal digits, must be used for one text only: the nonce is 0. `label` is not
// hidden but cannot be changed either.
TACIT_API std::string lock_text(std::string_view text, std::string_view key, std::string_view label);
// The text, or DataError when it, its label or the key is not what it was.
TACIT_API std::string unlock_text(std::string_view locked, std::string_view key, std::string_view label);

// SHA-256, in hexadecimal digits.
TACIT_API std::string fingerprint(std::string_view text);
inline constexpr std::size_t hash_size = 64;  // of a fingerprint

}  // namespace tacit::inline v1
