#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/sha256.hpp"
#include "model/digest.hpp"

namespace tacit::testing {

// A forger's file: with the digest of what it says now.
inline std::string resealed(nlohmann::ordered_json json) {
  json["digest"] = sha256(sealed_bytes(json));
  return layout(json);
}

}  // namespace tacit::testing
