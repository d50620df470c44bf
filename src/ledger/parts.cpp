#include "ledger/parts.hpp"

#include <fmt/core.h>

#include "tacit/ledger.hpp"

namespace tacit::inline v1 {

namespace {

struct Split {
  std::vector<Part> operator()(const NoPrivacy&) const { return {}; }
  std::vector<Part> operator()(const Pure& g) const { return {{"epsilon", 0, g.epsilon}}; }
  std::vector<Part> operator()(const Gaussian& g) const { return {{"mu", 0, g.mu}}; }
  std::vector<Part> operator()(const Zcdp& g) const { return {{"rho", 0, g.rho}}; }
  std::vector<Part> operator()(const Approx& g) const {
    return {{"epsilon", 0, g.epsilon}, {"delta", 0, g.delta}};
  }
  std::vector<Part> operator()(const Renyi& g) const {
    std::vector<Part> parts;
    for (std::size_t k = 0; k < g.orders.size(); ++k)
      parts.push_back({"epsilon", g.orders[k], g.epsilons[k]});
    return parts;
  }
};

bool are(std::span<const Part> parts, std::initializer_list<std::string_view> names) {
  if (parts.size() != names.size()) return false;
  auto part = parts.begin();
  for (const std::string_view name : names)
    if (part->order != 0 || (part++)->name != name) return false;
  return true;
}

Renyi curve(std::span<const Part> parts) {
  Renyi curve;
  for (const Part& part : parts) {
    curve.orders.push_back(part.order);
    curve.epsilons.push_back(part.value);
  }
  return curve;
}

}  // namespace

std::vector<Part> parts_of(const Guarantee& guarantee) { return std::visit(Split{}, guarantee); }

std::optional<Guarantee> from_parts(std::string_view notion, std::span<const Part> parts) {
  for (const Part& part : parts)
    if (!(part.value >= 0)) return std::nullopt;
  if (notion == "pure" && are(parts, {"epsilon"})) return Pure{parts[0].value};
  if (notion == "gaussian" && are(parts, {"mu"})) return Gaussian{parts[0].value};
  if (notion == "zcdp" && are(parts, {"rho"})) return Zcdp{parts[0].value};
  if (notion == "approx" && are(parts, {"epsilon", "delta"})) return Approx{parts[0].value, parts[1].value};
  if (notion == "renyi" && !parts.empty()) return curve(parts);
  return std::nullopt;
}

std::string in_words(const Guarantee& guarantee) {
  std::string words;
  for (const Part& part : parts_of(guarantee)) {
    words += fmt::format("{}{} = {:.6g}", words.empty() ? "" : ", ", part.name, part.value);
    if (part.order != 0) words += fmt::format(" at order {:.6g}", part.order);
  }
  return words;
}

}  // namespace tacit::inline v1
