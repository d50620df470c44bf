#include "tacit/guarantee.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {
constexpr std::array<std::string_view, 6> names = {"none", "pure", "gaussian", "zcdp", "renyi", "approx"};
}

std::string_view name(Notion notion) { return names[static_cast<std::size_t>(notion)]; }

Notion parse_notion(std::string_view text) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == text) return static_cast<Notion>(k);
  throw_error<UsageError>("the notion is \"{}\", expected one of {}", text, fmt::join(names, ", "));
}

}  // namespace tacit::inline v1
