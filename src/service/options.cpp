#include <algorithm>
#include <charconv>

#include "tacit/core/error.hpp"
#include "tacit/service/fit.hpp"

namespace tacit::inline v1::service {

namespace {

template <class T>
T parse(const OptionSpec& spec, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw_error<UsageError>("--{} is \"{}\", expected a {} {}", spec.name, text,
                            spec.kind == OptionKind::integer ? "whole number" : "number", spec.range);
  return value;
}

}  // namespace

FactValue parse_option(const OptionSpec& spec, std::string_view text) {
  switch (spec.kind) {
    case OptionKind::number:
      return parse<double>(spec, text);
    case OptionKind::integer:
      return parse<std::int64_t>(spec, text);
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
