#pragma once

#include <string_view>

#include "tacit/core/api.hpp"
#include "tacit/privacy/guarantee.hpp"

namespace tacit::inline v1 {

// Of which kind a guarantee is, in the order of the variant.
enum class Notion { none, pure, gaussian, zcdp, renyi, approx };

inline Notion notion_of(const Guarantee& guarantee) { return static_cast<Notion>(guarantee.index()); }
TACIT_API std::string_view name(Notion notion);        // as notion(guarantee) has it
TACIT_API Notion parse_notion(std::string_view text);  // throws UsageError that lists the names

}  // namespace tacit::inline v1
