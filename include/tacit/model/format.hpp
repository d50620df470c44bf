#pragma once

#include <string>
#include <string_view>

#include "tacit/core/api.hpp"
#include "tacit/model/fitted_model.hpp"

// The model file (docs/certificate.md): JSON that begins {"format": "tacit-model", "version": 2, keeps every
// float exactly, embeds schema and certificate, and ends with a digest of all the rest.

namespace tacit::inline v1 {

// 2: steps hold those within them. Version 1, which lists the charged steps alone, is read as well.
inline constexpr int model_format_version = 2;

TACIT_API std::string model_to_json(const FittedModel& model);

// `source` begins every message. DataError for what is not a complete model file, or one of a newer version.
// The digest is not looked at: that is for `verify`.
TACIT_API FittedModel parse_model(std::string_view text, std::string_view source);

// The same model file with an Ed25519 signature by the private key in PEM. UsageError for another kind of
// key.
TACIT_API std::string sign_model(std::string_view text, std::string_view private_key_pem);

// The summary that `fit --json` prints: guarantee, unit, neighbours, method, private. Depends on nothing but
// public values.
TACIT_API std::string summary_json(const Certificate& certificate);

}  // namespace tacit::inline v1
