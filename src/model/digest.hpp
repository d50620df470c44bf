#pragma once

#include <string>
#include <string_view>

#include "model/json.hpp"

namespace tacit::inline v1 {

// What digest and signature cover: everything but themselves.
std::string sealed_bytes(const Json& model);

// "sha256:" and 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

// The text of a model file: {"format": …, "version": …, then one member a line.
std::string layout(const Json& model);

// "ed25519:" and the signature in base64.
std::string sign_ed25519(std::string_view bytes, std::string_view private_key_pem);
// VerificationError where a text is not that.
void require_signature_form(std::string_view signature);
// Throws UsageError for a key that is no Ed25519 public key, VerificationError when the signature does not
// hold.
void check_ed25519(std::string_view bytes, std::string_view signature, std::string_view public_key_pem);

}  // namespace tacit::inline v1
