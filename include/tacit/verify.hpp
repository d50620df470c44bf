#pragma once

// Layer: model.
//
// Recomputes a model's promise from public values; throws VerificationError with the reason.
//
//     tacit::Verification checked = tacit::verify_model(text, "model.json");

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/method.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1 {

enum class SignatureState { absent, present_unchecked, valid };

// A model whose certificate holds.
struct Verification {
  FittedModel model = {};
  SignatureState signature = SignatureState::absent;
};

// Checks a model file: that it is complete, that its digest holds, that it was made with real random bits,
// that the steps it records are those that its method must have taken, that they give the guarantee it
// states, that its parameters lie on their grid, and, given a public key in PEM, its signature. Throws
// DataError when the text is no model file, VerificationError with the reason when a check fails or no
// privacy was promised.
TACIT_API Verification verify_model(std::string_view text, std::string_view source,
                                    std::optional<std::string_view> public_key_pem = std::nullopt,
                                    std::span<const Method> table = methods());

// What is known of a file's signature, whatever its certificate says. Throws VerificationError when there is
// one and it does not hold for the key.
TACIT_API SignatureState signature_state(std::string_view text, std::string_view source,
                                         std::optional<std::string_view> public_key_pem);

// What the certificate takes for granted: its assumptions, and those that older files leave to their facts.
TACIT_API std::vector<std::string> told_assumptions(const Certificate& certificate);

// Throws DataError unless the file's digest holds: an edited or damaged model is not used.
TACIT_API void require_digest(std::string_view text, std::string_view source);

}  // namespace tacit::inline v1
