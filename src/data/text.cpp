#include "data/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tacit::inline v1 {

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + (text.size() > longest ? "…\"" : "\"");
}

std::string shown_list(const std::vector<std::string>& texts) {
  constexpr std::size_t first = 10, last = 2;
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i == first && texts.size() > first + last) {
      list += ", …";
      i = texts.size() - last;
    }
    list += (i > 0 ? ", " : "") + shown(texts[i]);
  }
  return list;
}

bool valid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    // The range of the first continuation byte rules out overlong forms, surrogates and numbers beyond
    // 10FFFF.
    unsigned char low = 0x80, high = 0xbf;
    int more = 0;
    if (lead >= 0xc2 && lead <= 0xdf) {
      more = 1;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      more = 2;
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      more = 3;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    } else {
      return false;
    }
    for (; more > 0; --more, low = 0x80, high = 0xbf) {
      if (i == text.size()) return false;
      const auto next = static_cast<unsigned char>(text[i++]);
      if (next < low || next > high) return false;
    }
  }
  return true;
}

std::optional<double> number_in(std::string_view text, char decimal) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = fast_float::from_chars_advanced(text.data(), end, value, number_format(decimal));
  if (result.ptr != end || text.empty()) return std::nullopt;
  if (result.ec == std::errc{} || result.ec == std::errc::result_out_of_range) return value;
  return std::nullopt;
}

std::string number_text(double number) {
  if (std::isnan(number)) return "";
  const bool whole = std::abs(number) < 0x1p63 && number == std::trunc(number);
  return whole ? fmt::format("{}", static_cast<long long>(number)) : fmt::format("{}", number);
}

std::string_view why_not_finite(std::string_view text, char decimal) {
  if (text.empty()) return "is empty";
  const auto value = number_in(text, decimal);
  if (!value) return decimal == ',' ? "is not a number with a decimal comma" : "is not a number";
  if (std::isnan(*value)) return "is NaN or infinite";
  return text.find_first_of("0123456789") == text.npos ? "is NaN or infinite" : "is too large for a double";
}

bool stands_for_none(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  constexpr std::array known{"", "na", "n/a", "nan", "null", "none", "?", "-"};
  return std::ranges::find(known, small) != known.end();
}

std::optional<long long> integer_in(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  long long value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

}  // namespace tacit::inline v1
