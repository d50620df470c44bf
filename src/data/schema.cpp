#include "tacit/data.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "data/hats.hpp"
#include "data/schema_limits.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

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

void check_count(std::size_t count, std::size_t least, std::size_t most, std::string_view source,
                 const std::string& place) {
  if (count < least || count > most)
    fail(source, place, "it is {}, expected a whole number, {} to {}", count, least, most);
}

void check_knots(const NumericColumn& column, std::string_view source, const std::string& place) {
  if (const auto* count = std::get_if<std::size_t>(&column.knots))
    check_count(*count, 1, most_knots, source, place);
  const auto* knots = std::get_if<std::vector<double>>(&column.knots);
  if (knots == nullptr) return;
  if (knots->size() < 2) fail(source, place, "there are {} knots, expected at least 2", knots->size());
  check_count(knots->size(), 2, most_knots, source, place);
  for (std::size_t k = 0; k < knots->size(); ++k) {
    const double knot = (*knots)[k];
    if (!(knot >= column.min && knot <= column.max))
      fail(source, fmt::format("{}[{}]", place, k), "it is {}, expected within [{}, {}]", knot, column.min,
           column.max);
    if (k > 0 && !tells_apart(column, (*knots)[k - 1], knot))
      fail(source, fmt::format("{}[{}]", place, k),
           "it is {}, expected above the knot before it, which is {}", knot, (*knots)[k - 1]);
  }
}

void check(const NumericColumn& column, std::string_view source, std::string_view place) {
  check_bounds(column.min, column.max, source, place);
  check_knots(column, source, fmt::format("{}.knots", place));
  if (column.integer && (column.min != std::floor(column.min) || column.max != std::floor(column.max)))
    fail(source, place, "the bounds are {} and {}, expected whole numbers, as the column's values are",
         column.min, column.max);
  if (column.missing && column.missing_indicator) fail(source, place, "missing is said twice");
  if (column.missing && !(*column.missing >= column.min && *column.missing <= column.max))
    fail(source, place, "missing is {}, expected a number in [{}, {}]", *column.missing, column.min,
         column.max);
}

void check(const CategoricalColumn& column, std::string_view source, std::string_view place) {
  const auto& categories = column.categories;
  if (categories.empty()) fail(source, place, "categories are empty, expected at least one");
  if (categories.size() > most_categories)
    fail(source, place, "there are {} categories, expected at most {}; the type hashed takes any number",
         categories.size(), most_categories);
  check_distinct(categories, source, fmt::format("{}.categories", place));
  if (std::ranges::find(categories, "other") != categories.end())
    fail(source, place,
         "\"other\" stands for every value that is not listed: leave it out of the categories");
  if (column.other && !(*column.other >= 0x1p-20 && *column.other <= 1))
    fail(source, place, "other is {}, expected a number from 2^-20 to 1", *column.other);
  if (column.missing && column.missing_indicator) fail(source, place, "missing is said twice");
  if (column.missing && *column.missing != "other" &&
      std::ranges::find(categories, *column.missing) == categories.end())
    fail(source, place, "missing is {}, expected one of the categories or \"other\"", shown(*column.missing));
}

void check(const HashedColumn& column, std::string_view source, std::string_view place) {
  check_count(column.buckets, 2, most_buckets, source, fmt::format("{}.buckets", place));
  if (column.missing) check_distinct({*column.missing}, source, fmt::format("{}.missing", place));
  if (column.missing && column.missing_indicator) fail(source, place, "missing is said twice");
}

void check(const DateColumn& column, std::string_view source, std::string_view place) {
  check(column.number, source, place);
  constexpr double year_0 = -62167219200, year_10000 = 253402300800;  // in seconds
  if (column.number.min < year_0 || column.number.max >= year_10000)
    fail(source, place, "the bounds must lie in the years 0000 to 9999");
  if (column.number.log1p || column.number.integer)
    fail(source, place, "a date has no transform and is not an integer");
}

void check(const IgnoredColumn&, std::string_view, std::string_view) {}

void check(const SchemaTarget& target, std::string_view source) {
  constexpr std::string_view place = "target";
  if (target.log1p && (!target.min || !target.classes.empty()))
    fail(source, place, "the transform log1p is for a number with a min: log(1 + y - min)");
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

void check_pairs(const Schema& schema, std::string_view source) {
  const std::vector<std::string> names = block_names(schema);
  check_distinct(names, source, "column names");
  std::set<std::array<std::string, 2>> seen;
  for (std::size_t k = 0; k < schema.pairs.size(); ++k) {
    auto pair = schema.pairs[k];
    const std::string place = fmt::format("pairs[{}]", k);
    for (const std::string& name : pair)
      if (std::ranges::find(names, name) == names.end())
        fail(source, place, "there is no feature column {}, expected one of {}", shown(name),
             shown_list(names));
    if (pair[0] == pair[1]) fail(source, place, "both are {}, expected two columns", shown(pair[0]));
    std::ranges::sort(pair);
    if (!seen.insert(pair).second) fail(source, place, "the pair appears twice");
  }
}

}  // namespace

std::vector<std::string> block_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const SchemaColumn& column : schema.columns) {
    if (std::holds_alternative<IgnoredColumn>(column.kind)) continue;
    names.push_back(column.name);
    const auto* date = std::get_if<DateColumn>(&column.kind);
    if (date != nullptr && date->month) names.push_back(column.name + ".month");
    if (date != nullptr && date->weekday) names.push_back(column.name + ".weekday");
    if (date != nullptr && date->hour) names.push_back(column.name + ".hour");
  }
  return names;
}

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
  if (schema.decimal && *schema.decimal != '.' && *schema.decimal != ',')
    fail(source, "decimal", "it is {}, expected . or ,", shown({&*schema.decimal, 1}));
  check_distinct(all, source, "column names");
  // A column that is a feature and the target or the user would tell the model what it must not know.
  check_distinct(names, source, "column names");
  check_pairs(schema, source);
}

double encode_number(const NumericColumn& column, double value) {
  const double x = std::clamp(value, column.min, column.max) - column.min;
  const double range = column.max - column.min;
  // Rounding is monotone, so the plain quotient cannot pass 1; the logarithms are not known to be monotone.
  if (!column.log1p) return x / range;
  return std::min(1.0, std::log1p(x) / std::log1p(range));
}

}  // namespace tacit::inline v1
