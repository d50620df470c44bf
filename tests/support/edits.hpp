#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "model/digest.hpp"

// Edits of a model file by somebody who knows how digests are made, as bytes say: for fuzzing and for tests.

namespace tacit::testing {

inline void collect(Json& json, std::vector<Json*>& leaves) {
  if (json.is_structured())
    for (Json& part : json) collect(part, leaves);
  else
    leaves.push_back(&json);
}

// Takes bytes off the front; zeros when there are no more.
struct Bytes {
  const std::uint8_t* at;
  std::size_t left;
  template <class Number>
  Number take() {
    Number result{};
    const std::size_t size = std::min(sizeof result, left);
    std::memcpy(&result, at, size);
    at += size;
    left -= size;
    return result;
  }
};

inline void edit(Json& leaf, Bytes& bytes) {
  switch (bytes.take<std::uint8_t>() % 6) {
    case 0:
      leaf = bytes.take<double>();
      break;
    case 1:
      leaf = bytes.take<std::int64_t>();
      break;
    case 2:
      if (leaf.is_number()) leaf = leaf.get<double>() * (1 + bytes.take<std::int8_t>() / 128.0);
      break;
    case 3:
      if (leaf.is_number_integer()) leaf = leaf.get<std::int64_t>() + bytes.take<std::int8_t>();
      break;
    case 4:
      leaf = nullptr;
      break;
    default:
      leaf = std::string(bytes.take<std::uint8_t>() % 8,
                         static_cast<char>(bytes.take<std::uint8_t>() % 96 + 32));
  }
}

// Whether a number of the guarantee is smaller than it was, or gone.
inline bool promises_more(const Json& model, const Json& original) {
  const Json &now = model["certificate"]["guarantee"], &before = original["certificate"]["guarantee"];
  for (const auto& [key, value] : before.items())
    if (value.is_number() && (!now.contains(key) || !(now[key].get<double>() >= value.get<double>())))
      return true;
  return false;
}

// The model with some of its leaves edited, and sealed again.
inline Json edited(const Json& original, Bytes& bytes) {
  Json model = original;
  std::vector<Json*> leaves;
  collect(model, leaves);
  while (bytes.left > 0) edit(*leaves[bytes.take<std::uint16_t>() % leaves.size()], bytes);
  model["digest"] = sha256(sealed_bytes(model));
  return model;
}

}  // namespace tacit::testing
