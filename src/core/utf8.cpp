#include "tacit/core/utf8.hpp"

#include <cstddef>

namespace tacit::inline v1 {

bool is_plain_utf8(std::string_view text) {
  for (std::size_t k = 0; k < text.size();) {
    const auto byte = [&](std::size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const unsigned first = byte(k);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first >= 0xF8 || (first >= 0x80 && first < 0xC2)) return false;
    char32_t code = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t j = 1; j < length; ++j) {
      if ((byte(k + j) & 0xC0U) != 0x80) return false;
      code = code << 6 | (byte(k + j) & 0x3FU);
    }
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return false;
    const bool control = code < ' ' || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code < 0x2010) ||
                         (code >= 0x2028 && code < 0x202F) || (code >= 0x2066 && code < 0x206A) ||
                         code == 0xFEFF;
    if (control) return false;
    k += length;
  }
  return true;
}

}  // namespace tacit::inline v1
