#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/guarantee.hpp"

namespace tacit::inline v1 {

// A guarantee as named numbers: how the ledger stores it and adds it up.
struct Part {
  std::string name;  // epsilon, delta, mu or rho
  double order = 0;  // of a Rényi epsilon; otherwise 0
  double value = 0;  // >= 0
};

std::vector<Part> parts_of(const Guarantee& guarantee);
// The inverse; nothing when the parts are not those of the notion.
std::optional<Guarantee> from_parts(std::string_view notion, std::span<const Part> parts);

}  // namespace tacit::inline v1
