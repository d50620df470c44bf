#pragma once

// One option as everything outside of its method sees it, and how its value is read and written
// (option_table.hpp).

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/privacy/facts.hpp"

namespace tacit::inline v1 {

// The finite numbers that an option may be.
struct TACIT_API Range {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool open = false;       // the ends themselves are not among them
  bool or_zero = false;    // 0 is, too
  bool even = false;       // even ones only
  bool far_apart = false;  // the ends are beyond any use: help says "> 0"

  bool holds(double value) const;
  std::string in_words() const;  // "between 0 and 1": for messages
  std::string in_short() const;  // for help
};
constexpr Range any() { return {}; }
constexpr Range open(double least, double most) { return {.least = least, .most = most, .open = true}; }
constexpr Range between(double least, double most) { return {.least = least, .most = most}; }
constexpr Range at_least(double least) { return {.least = least}; }
constexpr Range above(double least) { return {.least = least, .open = true}; }
constexpr Range positive(double least, double most) {
  return {.least = least, .most = most, .far_apart = true};
}
constexpr Range even_from(double least) { return {.least = least, .even = true}; }
constexpr Range or_zero(Range range) {
  range.or_zero = true;
  return range;
}

enum class OptionKind { number, integer, text };

// One option of a method, as everything outside of it sees it.
struct TACIT_API OptionSpec {
  std::string name;  // "slope-limit": the flag is --slope-limit, the fact "slope_limit"
  OptionKind kind = OptionKind::number;
  std::string help;      // one line
  std::string range;     // "> 0"
  std::string fallback;  // what happens without it: "1.1·|φ'(0)|·row-bound"
  Range numbers = {};
  std::vector<std::string> words = {};  // that a text may be; beside numbers, "auto"

  std::string fact() const;
};

// As short as a person would write it: 1e7, 0.05.
TACIT_API std::string shown(const FactValue& value);
// UsageError, naming the option and its range, unless the value is one that it may have.
TACIT_API void require_in_range(const OptionSpec& spec, const FactValue& value);

namespace options {

// The value of an option among facts, which have it. A whole number refuses fractions.
TACIT_API std::int64_t whole(const Facts& facts, const OptionSpec& spec);
TACIT_API bool is_word(const Facts& facts, const OptionSpec& spec, std::string_view word);
TACIT_API std::optional<double> number_or_auto(const Facts& facts, const OptionSpec& spec);
TACIT_API std::string number_or_auto(const std::optional<double>& value);
TACIT_API std::string list_of(const std::vector<std::string>& words);  // "average, last or random"
[[noreturn]] TACIT_API void refuse_word(const OptionSpec& spec, std::string_view text);
[[noreturn]] TACIT_API void refuse_without_effect(const OptionSpec& spec, std::string_view goes_with);
[[noreturn]] TACIT_API void refuse_undeclared(std::string_view fact);

inline void get(const Facts& facts, const OptionSpec& spec, double& value) {
  value = facts.number(spec.fact());
}
inline void get(const Facts& facts, const OptionSpec& spec, std::int64_t& value) {
  value = whole(facts, spec);
}
inline void get(const Facts& facts, const OptionSpec& spec, std::size_t& value) {
  const std::int64_t given = whole(facts, spec);
  require_in_range(spec, given);  // before a negative one becomes huge
  value = static_cast<std::size_t>(given);
}
inline void get(const Facts& facts, const OptionSpec& spec, unsigned& value) {
  value = static_cast<unsigned>(whole(facts, spec));
}
inline void get(const Facts& facts, const OptionSpec& spec, std::string& value) {
  value = facts.text(spec.fact());
}
template <class T>
void get(const Facts& facts, const OptionSpec& spec, std::optional<T>& value) {
  get(facts, spec, value.emplace());
}

inline std::optional<FactValue> put(double value) { return value; }
inline std::optional<FactValue> put(std::int64_t value) { return value; }
inline std::optional<FactValue> put(std::size_t value) { return static_cast<std::int64_t>(value); }
inline std::optional<FactValue> put(unsigned value) { return static_cast<std::int64_t>(value); }
inline std::optional<FactValue> put(const std::string& value) { return value; }
template <class T>
std::optional<FactValue> put(const std::optional<T>& value) {
  return value ? put(*value) : std::nullopt;
}

template <class T>
constexpr OptionKind kind_of = OptionKind::integer;
template <>
inline constexpr OptionKind kind_of<double> = OptionKind::number;
template <>
inline constexpr OptionKind kind_of<std::string> = OptionKind::text;
template <class T>
constexpr OptionKind kind_of<std::optional<T>> = kind_of<T>;

}  // namespace options

}  // namespace tacit::inline v1
