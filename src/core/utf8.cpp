#include "core/utf8.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace tacit::inline v1 {

namespace {

// Control characters, blanks other than the space, and what shows as nothing: two texts that look alike must
// not differ by them.
bool is_invisible(char32_t code) {
  constexpr char32_t ranges[][2] = {{0, 0x1F},          {0x7F, 0xA0},      {0xAD, 0xAD},     {0x34F, 0x34F},
                                    {0x61C, 0x61C},     {0x115F, 0x1160},  {0x1680, 0x1680}, {0x17B4, 0x17B5},
                                    {0x180B, 0x180F},   {0x2000, 0x200F},  {0x2028, 0x202F}, {0x205F, 0x206F},
                                    {0x2800, 0x2800},   {0x3000, 0x3000},  {0x3164, 0x3164}, {0xFE00, 0xFE0F},
                                    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},  {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF},
                                    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
  for (const auto& [first, last] : ranges)
    if (code >= first && code <= last) return true;
  return false;
}

struct Character {
  std::size_t length = 0;  // 0: not UTF-8
  char32_t code = 0;
};

Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first >= 0xF8 || (first >= 0x80 && first < 0xC2)) return {};
  char32_t code = length == 1 ? first : first & (0x7FU >> length);
  for (std::size_t j = 1; j < length; ++j) {
    if ((byte(j) & 0xC0U) != 0x80) return {};
    code = code << 6 | (byte(j) & 0x3FU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {length, code};
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_of(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_plain_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto [length, code] = first_of(text);
    if (length == 0 || is_invisible(code)) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string visible(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto [length, code] = first_of(text);
    if (length > 0 && !is_invisible(code))
      shown += text.substr(0, length);
    else if (length <= 1)
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    else
      shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

}  // namespace tacit::inline v1
