#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "model/digest.hpp"
#include "model/json.hpp"

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

// Whether `now` is a Rényi curve with an epsilon that `before` does not give: it gives those of its orders,
// and, as divergences grow with the order, of all below each.
inline bool lower_curve(const Json& now, const Json& before) {
  const std::vector<double> orders = numbers(now, "orders"), epsilons = numbers(now, "epsilons");
  const std::vector<double> given = numbers(before, "orders"), at = numbers(before, "epsilons");
  for (std::size_t k = 0; k < orders.size(); ++k) {
    bool covered = false;
    for (std::size_t j = 0; j < given.size(); ++j)
      covered = covered || (given[j] >= orders[k] && at[j] <= epsilons[k]);
    if (!covered) return true;
  }
  return false;
}

// Whether a guarantee is more than another was: a number is smaller or gone, or the notion is another, whose
// numbers are not to be compared.
inline bool is_more(const Json& now, const Json& before) {
  if (now["notion"] == "none") return false;
  if (now["notion"] != before["notion"]) return true;
  if (now["notion"] == "renyi") return lower_curve(now, before);
  for (const auto& [key, value] : before.items())
    if (key != "notion" && !(now.contains(key) && number(now, key) >= number(before, key))) return true;
  return false;
}

// Whether what a certificate says is more than another said: its guarantee, the one for a replaced unit, for
// whom and between which datasets (neither of two relations implies the other with the same numbers), and
// that it is private at all.
inline bool promises_more(const Json& model, const Json& original) {
  const Json &now = model["certificate"], &before = original["certificate"];
  if (is_more(now["guarantee"], before["guarantee"])) return true;
  if (now.contains("replaced") &&
      !(before.contains("replaced") && !is_more(now["replaced"], before["replaced"])))
    return true;
  if (now["unit"] != before["unit"] || now["neighbours"] != before["neighbours"]) return true;
  const auto lost = [&](const char* key, bool harmless) {
    return now[key] == harmless && before[key] != harmless;
  };
  return lost("private", true) || lost("seeded", false) || lost("watched", false);
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
