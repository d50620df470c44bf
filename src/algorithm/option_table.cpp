#include "tacit/method.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// 1e7 rather than 10000000, 1e-7 rather than 1e-07.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  if (!std::isfinite(value)) return text;
  const double size = std::fabs(value);
  if (size >= 1e6 && value == std::floor(value)) {
    const std::string exponent = fmt::format("{:e}", value);  // 1.000000e+07
    const int power = std::stoi(exponent.substr(exponent.find('e') + 1));
    const std::string mantissa = fmt::format("{}", value / std::pow(10.0, power));
    if (mantissa.size() <= 3) return fmt::format("{}e{}", mantissa, power);
  }
  if (const auto at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
  if (const auto at = text.find("e+"); at != std::string::npos) text.erase(at + 1, 1);
  return text;
}

// Two digits of it.
std::string roughly(double value) { return number_text(std::stod(fmt::format("{:.1e}", value))); }

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

const FactValue& value_of(const Facts& facts, std::string_view key) {
  for (const auto& [name, value] : facts.entries())
    if (name == key) return value;
  throw_error<VerificationError>("the certificate lacks \"{}\"", key);
}

}  // namespace

bool Range::holds(double value) const {
  if (or_zero && value == 0) return true;
  if (!std::isfinite(value) || (even && std::fmod(value, 2) != 0)) return false;
  return open ? value > least && value < most : value >= least && value <= most;
}

std::string Range::in_words() const {
  std::string text;
  if (std::isinf(least) && std::isinf(most))
    text = "a finite number";
  else if (std::isinf(most))
    text = fmt::format("{} {}", open ? ">" : ">=", number_text(least));
  else if (far_apart)
    text = fmt::format("a number above 0, from {} to {}", roughly(least), roughly(most));
  else if (open)
    text = fmt::format("between {} and {}", number_text(least), number_text(most));
  else
    text = fmt::format("{} to {}", number_text(least), number_text(most));
  if (even) text = "an even number " + text;
  return or_zero ? "0, or " + text : text;
}

std::string Range::in_short() const {
  if (std::isinf(least) && std::isinf(most)) return "any";
  if (far_apart) return or_zero ? ">= 0" : "> 0";
  return in_words();
}

std::string OptionSpec::fact() const {
  std::string key = name;
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string shown(const FactValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return number_text(*real);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return number_text(static_cast<double>(*whole));
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::get<bool>(value) ? "true" : "false";
}

namespace {

// A value as a message shows it: a text in quotation marks.
std::string quoted(const FactValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? shown(value) : fmt::format("\"{}\"", *text);
}

// The words of help after what is expected: "a number", ", > 0".
std::string range_after(const OptionSpec& spec, std::string_view between) {
  return spec.range.empty() || spec.range == "any" ? "" : fmt::format("{}{}", between, spec.range);
}

[[noreturn]] void refuse_kind(const OptionSpec& spec, const FactValue& value) {
  switch (spec.kind) {
    case OptionKind::number:
      throw_error<UsageError>("{} is {}, expected a number{}", spec.name, quoted(value),
                              range_after(spec, " "));
    case OptionKind::integer:
      throw_error<UsageError>("{} is {}, expected a whole number{}", spec.name, shown(value),
                              range_after(spec, ", "));
    case OptionKind::truth:
      throw_error<UsageError>("{} is {}, expected true or false", spec.name, quoted(value));
    case OptionKind::text:
      break;
  }
  throw_error<UsageError>("{} is {}, expected {}", spec.name, quoted(value),
                          spec.words.empty() ? "a text" : spec.range);
}

// What the range is, to someone who gave this number: ends that are beyond any use are told to those who went
// beyond them.
std::string expected(const OptionSpec& spec, double number) {
  const Range& range = spec.numbers;
  if (!range.far_apart) return spec.range.empty() ? range.in_words() : spec.range;
  if (number > 0 && std::isfinite(number)) return range.in_words();
  return range.or_zero ? "0, or a number above 0" : "a number above 0";
}

// A text that may be a number, too.
bool may_be_auto(const OptionSpec& spec) { return !spec.words.empty() && spec.words.front() == "auto"; }

double number_in(const OptionSpec& spec, const FactValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  refuse_kind(spec, value);
}

std::int64_t whole_in(const OptionSpec& spec, const FactValue& value) {
  if (const auto* held = std::get_if<std::int64_t>(&value)) return *held;
  const auto* real = std::get_if<double>(&value);
  if (real != nullptr && *real == std::floor(*real) && std::fabs(*real) < 0x1p53)
    return static_cast<std::int64_t>(*real);
  refuse_kind(spec, value);
}

// The number that the value is; nothing for a word, and for true and false.
std::optional<double> number_or_word(const OptionSpec& spec, const FactValue& value) {
  if (spec.kind == OptionKind::truth) {
    if (!std::holds_alternative<bool>(value)) refuse_kind(spec, value);
    return std::nullopt;
  }
  if (spec.kind == OptionKind::number) return number_in(spec, value);
  if (spec.kind == OptionKind::integer) return static_cast<double>(whole_in(spec, value));
  const auto* word = std::get_if<std::string>(&value);
  if (word == nullptr && !may_be_auto(spec)) refuse_kind(spec, value);
  if (word == nullptr) return number_in(spec, value);
  if (spec.words.empty() || std::ranges::find(spec.words, *word) != spec.words.end()) return std::nullopt;
  const std::optional<double> number = may_be_auto(spec) ? parse_number(*word) : std::nullopt;
  if (!number) options::refuse_word(spec, *word);
  return number;
}

}  // namespace

void require_in_range(const OptionSpec& spec, const FactValue& value) {
  const std::optional<double> number = number_or_word(spec, value);
  if (number && !spec.numbers.holds(*number))
    throw_error<UsageError>("{} is {}, expected {}", spec.name, shown(*number), expected(spec, *number));
}

namespace options {

std::int64_t whole(const Facts& facts, const OptionSpec& spec) {
  return whole_in(spec, value_of(facts, spec.fact()));
}

double number(const Facts& facts, const OptionSpec& spec) {
  return number_in(spec, value_of(facts, spec.fact()));
}

const std::string& text(const Facts& facts, const OptionSpec& spec) {
  const FactValue& value = value_of(facts, spec.fact());
  if (const auto* held = std::get_if<std::string>(&value)) return *held;
  refuse_kind(spec, value);
}

bool is_word(const Facts& facts, const OptionSpec& spec, std::string_view word) {
  const auto* text = std::get_if<std::string>(&value_of(facts, spec.fact()));
  return text != nullptr && *text == word;
}

std::optional<double> number_or_auto(const Facts& facts, const OptionSpec& spec) {
  const FactValue& value = value_of(facts, spec.fact());
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return number(facts, spec);
  if (*text == "auto") return std::nullopt;
  const std::optional<double> number = parse_number(*text);
  if (!number) refuse_word(spec, *text);
  return number;
}

std::string number_or_auto(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "auto";
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " or " : ", ") + words[k];
  return text;
}

void refuse_word(const OptionSpec& spec, std::string_view text) {
  throw_error<UsageError>("{} is \"{}\", expected {}", spec.name, text, spec.range);
}

void refuse_without_effect(const OptionSpec& spec, std::string_view goes_with) {
  throw_error<UsageError>("{} has no effect without {}", spec.name, goes_with);
}

void refuse_undeclared(std::string_view fact) {
  throw_error<Error>("the table of options does not declare the fact \"{}\"", fact);
}

}  // namespace options

}  // namespace tacit::inline v1
