#pragma once

#include <string>
#include <string_view>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

TACIT_API bool is_utf8(std::string_view text);
// Whether the text is valid UTF-8 without control or invisible characters (zero-width, direction marks).
TACIT_API bool is_plain_utf8(std::string_view text);

// The text for one line of a terminal: such characters, and what is not UTF-8, as \x1b or \u202e.
TACIT_API std::string visible(std::string_view text);

}  // namespace tacit::inline v1
