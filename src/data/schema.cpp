#include "tacit/data/schema.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "tacit/core/error.hpp"
#include "tacit/core/rounding.hpp"
#include "text.hpp"

namespace tacit::inline v1 {
namespace {

template <class... Args>
[[noreturn]] void fail(std::string_view source, std::string_view place, fmt::format_string<Args...> format,
                       Args&&... args) {
  throw_error<DataError>("{}: {}: {}", source, place, fmt::format(format, std::forward<Args>(args)...));
}

void check_bounds(double min, double max, std::string_view source, std::string_view place) {
  if (!std::isfinite(min) || !std::isfinite(max)) fail(source, place, "the bounds must be finite numbers");
  if (!(min < max)) fail(source, place, "min is {}, expected below max, which is {}", min, max);
  if (!std::isfinite(max - min)) fail(source, place, "max - min is too large for a double");
}

void check_distinct(const std::vector<std::string>& names, std::string_view source, std::string_view place) {
  std::set<std::string_view> seen;
  for (const auto& name : names) {
    if (name.empty()) fail(source, place, "a name is empty");
    if (!valid_utf8(name)) fail(source, place, "{} is not UTF-8 text", shown(name));
    if (trimmed(name) != name)
      fail(source, place, "{} has blanks around it, which cells never have", shown(name));
    if (!seen.insert(name).second) fail(source, place, "{} appears twice", shown(name));
  }
}

void check(const NumericColumn& column, std::string_view source, std::string_view place) {
  check_bounds(column.min, column.max, source, place);
  if (column.missing && !(*column.missing >= column.min && *column.missing <= column.max))
    fail(source, place, "missing is {}, expected a number in [{}, {}]", *column.missing, column.min,
         column.max);
}

void check(const CategoricalColumn& column, std::string_view source, std::string_view place) {
  const auto& categories = column.categories;
  if (categories.empty()) fail(source, place, "categories are empty, expected at least one");
  check_distinct(categories, source, fmt::format("{}.categories", place));
  if (std::ranges::find(categories, "other") != categories.end())
    fail(source, place,
         "\"other\" stands for every value that is not listed: leave it out of the categories");
  if (column.missing && *column.missing != "other" &&
      std::ranges::find(categories, *column.missing) == categories.end())
    fail(source, place, "missing is {}, expected one of the categories or \"other\"", shown(*column.missing));
}

void check(const IgnoredColumn&, std::string_view, std::string_view) {}

void check(const SchemaTarget& target, std::string_view source) {
  constexpr std::string_view place = "target";
  if (target.classes.empty()) {
    for (const auto& bound : {target.min, target.max})
      if (bound && !std::isfinite(*bound)) fail(source, place, "the bounds must be finite numbers");
    if (target.min && target.max) check_bounds(*target.min, *target.max, source, place);
    return;
  }
  if (target.min || target.max) fail(source, place, "it has classes and bounds, expected one or the other");
  if (target.classes.size() < 2) fail(source, "target.classes", "there is only one, expected at least two");
  check_distinct(target.classes, source, "target.classes");
}

}  // namespace

void validate(const Schema& schema, std::string_view source) {
  std::vector<std::string> all, names;
  for (const auto& column : schema.columns) {
    all.push_back(column.name);
    if (!std::holds_alternative<IgnoredColumn>(column.kind)) names.push_back(column.name);
    std::visit([&](const auto& kind) { check(kind, source, fmt::format("columns.{}", column.name)); },
               column.kind);
  }
  if (schema.target) {
    check(*schema.target, source);
    if (!schema.target->column.empty()) names.push_back(schema.target->column);
  }
  if (!schema.user.empty()) names.push_back(schema.user);
  check_distinct(all, source, "column names");
  // A column that is a feature and the target or the user would tell the model what it must not know.
  check_distinct(names, source, "column names");
}

std::size_t encoded_columns(const Schema& schema) {
  std::size_t count = 0;
  for (const auto& column : schema.columns) {
    if (std::holds_alternative<NumericColumn>(column.kind)) count += 1;
    if (const auto* kind = std::get_if<CategoricalColumn>(&column.kind)) count += kind->categories.size() + 1;
  }
  return count;
}

std::vector<std::string> feature_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const auto& column : schema.columns) {
    if (std::holds_alternative<NumericColumn>(column.kind)) names.push_back(column.name);
    if (const auto* kind = std::get_if<CategoricalColumn>(&column.kind)) {
      for (const auto& category : kind->categories) names.push_back(column.name + "=" + category);
      names.push_back(column.name + "=other");
    }
  }
  return names;
}

double row_norm_bound(const Schema& schema) {
  const auto described = std::ranges::count_if(
      schema.columns, [](const auto& column) { return !std::holds_alternative<IgnoredColumn>(column.kind); });
  if (described == 0) throw_error<UsageError>("the schema describes no feature, so it bounds no row");
  return sqrt_up(static_cast<double>(described));
}

double encode_number(const NumericColumn& column, double value) {
  const double x = std::clamp(value, column.min, column.max) - column.min;
  const double range = column.max - column.min;
  // Rounding is monotone, so the plain quotient cannot pass 1; the logarithms are not known to be monotone.
  if (!column.log1p) return x / range;
  return std::min(1.0, std::log1p(x) / std::log1p(range));
}

}  // namespace tacit::inline v1
