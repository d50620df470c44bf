#include <algorithm>
#include <charconv>
#include <optional>

#include "tacit/core.hpp"
#include "tacit/fit.hpp"

namespace tacit::inline v1::service {

namespace {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

template <class T>
T required(std::optional<T> value, const OptionSpec& spec, std::string_view text) {
  if (!value)
    throw_error<UsageError>("{} is \"{}\", expected a {}{}", spec.name, text,
                            spec.kind == OptionKind::integer ? "whole number" : "number",
                            spec.range == "any" ? "" : " " + spec.range);
  return *value;
}

}  // namespace

FactValue parse_option(const OptionSpec& spec, std::string_view text) {
  switch (spec.kind) {
    case OptionKind::number:
      return required(parse_number(text), spec, text);
    case OptionKind::integer:
      return required(parse_whole_number(text), spec, text);
    case OptionKind::truth:
      if (text == "true" || text == "false") return text == "true";
      throw_error<UsageError>("{} is \"{}\", expected true or false", spec.name, text);
    case OptionKind::text:
      break;
  }
  return std::string(text);
}

std::string fact_name(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace tacit::inline v1::service
