#include "tacit/core.hpp"

#include <charconv>
#include <cmath>

namespace tacit::inline v1 {

namespace {

template <class T>
std::optional<T> parse_all(std::string_view text) {
  T value{};
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc() && end == last ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  if (const auto digits = parse_all<std::int64_t>(text)) return digits;
  if (text.find_first_of("eE") == std::string_view::npos) return std::nullopt;
  constexpr double largest = 9007199254740992;  // 2^53: beyond it a double skips whole numbers
  const auto value = parse_all<double>(text);
  if (!value || !(std::abs(*value) <= largest) || std::trunc(*value) != *value) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

}  // namespace tacit::inline v1
