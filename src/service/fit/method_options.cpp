#include "service/fit/method_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/core.hpp"
#include "tacit/fit.hpp"

namespace tacit::inline v1::service {

Facts under_fact_names(const Facts& given) {
  Facts named;
  for (const auto& [key, value] : given.entries()) {
    const std::string fact = fact_name(key);
    if (named.has(fact)) throw_error<UsageError>("the option {} is given twice", fact);
    named.set(fact, value);
  }
  return named;
}

void check_method_options(const Method& method, const Facts& given) {
  for (const auto& [key, value] : given.entries()) {
    const OptionSpec* spec = find_option(method, key);
    if (spec != nullptr) {
      require_in_range(*spec, value);
      continue;
    }
    std::string names;
    for (const OptionSpec& known : method.options)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", known.fact());
    throw_error<UsageError>("{} is not an option of the method {}, which has {}", key, method.name,
                            names.empty() ? "none" : names);
  }
}

void check_method_options(const std::vector<const Method*>& methods, const Facts& given) {
  const auto takes = [&](const Method* method) {
    try {
      check_method_options(*method, given);
    } catch (const UsageError&) {
      return false;
    }
    return true;
  };
  if (std::ranges::none_of(methods, takes)) check_method_options(*methods.front(), given);
}

}  // namespace tacit::inline v1::service
