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

void require_in_range(const OptionSpec& spec, const FactValue& value) {
  const auto require = [&](double number) {
    if (spec.numbers.holds(number)) return;
    const bool in_short = !spec.numbers.far_apart && !spec.range.empty();
    throw_error<UsageError>("{} is {}, expected {}", spec.name, number,
                            in_short ? spec.range : spec.numbers.in_words());
  };
  if (const auto* real = std::get_if<double>(&value)) return require(*real);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return require(static_cast<double>(*whole));
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr || spec.words.empty() || std::ranges::find(spec.words, *text) != spec.words.end())
    return;
  const std::optional<double> number = parse_number(*text);
  if (!number) options::refuse_word(spec, *text);
  require(*number);
}

namespace options {

std::int64_t whole(const Facts& facts, const OptionSpec& spec) {
  const FactValue& value = value_of(facts, spec.fact());
  if (const auto* held = std::get_if<std::int64_t>(&value)) return *held;
  const auto* real = std::get_if<double>(&value);
  if (real != nullptr && *real == std::floor(*real) && std::fabs(*real) < 0x1p53)
    return static_cast<std::int64_t>(*real);
  throw_error<UsageError>("{} is {}, expected a whole number{}", spec.name, shown(value),
                          spec.range.empty() || spec.range == "any" ? "" : ", " + spec.range);
}

bool is_word(const Facts& facts, const OptionSpec& spec, std::string_view word) {
  const auto* text = std::get_if<std::string>(&value_of(facts, spec.fact()));
  return text != nullptr && *text == word;
}

std::optional<double> number_or_auto(const Facts& facts, const OptionSpec& spec) {
  const FactValue& value = value_of(facts, spec.fact());
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return facts.number(spec.fact());
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
