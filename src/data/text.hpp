#pragma once

#include <fast_float/fast_float.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::inline v1 {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // in UTF-8

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Numbers with this mark before their fraction.
inline fast_float::parse_options number_format(char decimal) {
  return fast_float::parse_options(fast_float::chars_format::general, decimal);
}

// The text in quotes, for a message of one line: control characters escaped, a long text cut.
std::string shown(std::string_view text);

// The texts, each in quotes; of many, the first and the last.
std::string shown_list(const std::vector<std::string>& texts);

bool valid_utf8(std::string_view text);

// The number that the whole text is, with this mark before its fraction; nullopt when it is none. May be
// infinite or NaN.
std::optional<double> number_in(std::string_view text, char decimal = '.');

// The shortest text that reads as the number; digits alone for a whole one up to 2^63, as files have it. None
// for NaN.
std::string number_text(double number);

// Why the text is not a number that can be stored: "is empty", "is too large for a double", …
std::string_view why_not_finite(std::string_view text, char decimal = '.');

// Whether the text is one that is written where a value is not known: NA, nan, null, ?, …
bool stands_for_none(std::string_view text);

// The whole number that the text is.
std::optional<long long> integer_in(std::string_view text);

}  // namespace tacit::inline v1
