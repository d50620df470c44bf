#include "data/csv_plan.hpp"

#include <algorithm>
#include <limits>

#include "data/csv_header.hpp"
#include "data/readers.hpp"
#include "data/text.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

std::optional<std::size_t> position(const CsvLayout& layout, const std::string& name) {
  const auto& names = layout.context.names;
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

// A column by its name, else by its number from the front or, when negative, from the back.
std::optional<std::size_t> chosen(const CsvLayout& layout, const std::string& column) {
  if (const auto by_name = position(layout, column)) return by_name;
  const auto number = integer_in(column);
  if (!number) return std::nullopt;
  const auto count = static_cast<long long>(layout.columns());
  const long long index = *number < 0 ? *number + count : *number;
  if (index < 0 || index >= count) return std::nullopt;
  return static_cast<std::size_t>(index);
}

// Whether the text may be part of a record that was taken for a header.
bool holds_number(std::string_view text) {
  constexpr std::string_view separators = " ,;|:\t";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (number_in(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

// The names are told where they are sure to be names: a message must not show a record.
[[noreturn]] void fail_unknown_column(std::string_view role, const std::string& column,
                                      const CsvLayout& layout, bool by_schema) {
  const bool names =
      !by_schema && (!layout.header || std::ranges::none_of(layout.context.names, holds_number));
  const std::string numbered =
      layout.context.names.empty() ? "" : fmt::format(", {}", shown_list(layout.context.names));
  throw_error<DataError>(
      "{}: there is no {} column {}{}", layout.context.file, role, shown(column),
      !names ? " in the header"
      : layout.header
          ? ", expected one of " + shown_list(layout.context.names)
          : fmt::format(": the file was taken to have no header, and its columns go by their numbers{}; if "
                        "the first line has their names, say that it is a header",
                        numbered));
}

// Whether the first line is sure to be a header: it has half of the schema's names, and no number.
bool surely_header(const std::vector<std::string>& described, const std::vector<std::string>& names) {
  const auto known = std::ranges::count_if(
      described, [&](const std::string& name) { return std::ranges::count(names, name) > 0; });
  return 2 * static_cast<std::size_t>(known) >= described.size() && std::ranges::none_of(names, holds_number);
}

// The column of a role ("target" or "user"), from the options and the schema, which must agree.
std::optional<std::size_t> agreed_column(std::string_view role, const std::string& option,
                                         const std::string& in_schema, const CsvLayout& layout,
                                         const ReadOptions& options) {
  const std::string& column = option.empty() ? in_schema : option;
  const auto found = option.empty() ? position(layout, column) : chosen(layout, column);
  if (!option.empty() && !in_schema.empty() && option != in_schema &&
      (!found || layout.context.names[*found] != in_schema))
    throw_error<UsageError>("the {} column is given as {}, but the schema says {}", role, shown(option),
                            shown(in_schema));
  if (!found && !column.empty() && !options.target_optional)
    fail_unknown_column(role, column, layout, options.schema.has_value() && layout.header);
  return found;
}

// Features in the schema's order, wherever the file has their columns.
void plan_with_schema(const Schema& schema, const CsvLayout& layout, bool has_target, CsvPlan& plan) {
  std::vector<bool> known(layout.columns(), false);
  for (std::size_t i = 0; i < layout.columns(); ++i) known[i] = plan.columns[i].role != Role::ignored;
  for (std::size_t k = 0; k < schema.columns.size(); ++k) {
    const SchemaColumn& described = schema.columns[k];
    const auto at = position(layout, described.name);
    const bool ignored = std::holds_alternative<IgnoredColumn>(described.kind);
    if (!at && ignored) continue;
    if (!at) fail_missing_column(described.name, schema, layout);
    const Role role = plan.columns[*at].role;
    if (ignored && (role == Role::target || role == Role::user)) continue;  // no feature, in any case
    if (known[*at])
      throw_error<UsageError>(
          "column {} is the target or user column, but the schema describes it as a feature; make its type "
          "\"ignore\" there, and fit with that",
          shown(described.name));
    known[*at] = true;
    if (!ignored) plan.columns[*at] = {.role = Role::encoded, .column = k};
  }
  const auto unknown = std::ranges::find(known, false);
  if (unknown != known.end() && !schema.ignore_others)
    throw_error<DataError>(
        "{}: the schema does not name column {}; describe it there, or set \"others\": \"ignore\"{}",
        layout.context.file, shown(layout.context.names[static_cast<std::size_t>(unknown - known.begin())]),
        has_target ? "" : "; if it holds the labels, name it as the target");
  plan.encoder = std::make_shared<const Encoder>(schema);
  plan.slots = plan.encoder->entries();
  plan.features = plan.encoder->features();
  plan.names = plan.encoder->names();
  plan.sparse = kept_sparse(plan.slots, plan.features);
}

// Those of `wanted` that are columns without another role; nothing unless all of them are.
std::vector<std::size_t> places(const std::vector<std::string>& wanted, const CsvLayout& layout,
                                const CsvPlan& plan) {
  std::vector<std::size_t> found;
  for (const std::string& name : wanted)
    if (const auto at = position(layout, name); at && plan.columns[*at].role == Role::ignored)
      found.push_back(*at);
  return found.size() == wanted.size() ? found : std::vector<std::size_t>{};
}

void plan_without_schema(const CsvLayout& layout, const std::vector<std::string>& wanted, CsvPlan& plan) {
  for (const std::size_t at : layout.header ? places(wanted, layout, plan) : std::vector<std::size_t>{}) {
    plan.columns[at] = {.role = Role::plain_number, .column = plan.features++};
    plan.names.push_back(layout.context.names[at]);
  }
  plan.slots = plan.features;
  if (plan.features > 0) return;
  for (std::size_t i = 0; i < layout.columns(); ++i) {
    auto& column = plan.columns[i];
    if (column.role != Role::ignored) continue;
    column = {.role = Role::plain_number, .column = plan.features++};
    if (layout.header) plan.names.push_back(layout.context.names[i]);
  }
  plan.slots = plan.features;
}

}  // namespace

std::optional<std::size_t> find_column(std::string_view role, const std::string& column,
                                       const CsvLayout& layout) {
  if (column.empty()) return std::nullopt;
  const auto found = chosen(layout, column);
  if (!found) fail_unknown_column(role, column, layout, false);
  return found;
}

void fail_missing_column(const std::string& name, const Schema& schema, const CsvLayout& layout) {
  const std::vector<std::string> described = names_in(schema);
  std::vector<std::string> unknown;
  for (const std::string& column : layout.context.names)
    if (std::ranges::find(described, column) == described.end()) unknown.push_back(column);
  const bool told = layout.header && !unknown.empty() && surely_header(described, layout.context.names);
  throw_error<DataError>("{}: there is no column {}, which the schema describes{}", layout.context.file,
                         shown(name),
                         told ? fmt::format("; the header has {}, which it does not", shown_list(unknown))
                         : !layout.header && layout.columns() == 1
                             ? "; if something else separates the cells of the file, state the separator"
                             : "");
}

CsvPlan plan_columns(const CsvLayout& layout, const ReadOptions& options) {
  CsvPlan plan;
  plan.columns.resize(layout.columns());
  plan.more_cells = layout.more_cells;
  const Schema* schema = options.schema ? &*options.schema : nullptr;
  const std::string schema_target = schema && schema->target ? schema->target->column : "";
  if (schema && schema->target && schema_target.empty() && options.target.empty() && !options.target_optional)
    throw_error<UsageError>("the schema's target has no column, which a CSV file needs");
  const auto target = agreed_column("target", options.target, schema_target, layout, options);
  const auto user = agreed_column("user", options.user, schema ? schema->user : "", layout, options);
  if (target && user && *target == *user)
    throw_error<UsageError>("column {} cannot be both the target and the user",
                            shown(layout.context.names[*target]));
  if (target) {
    plan.columns[*target].role = Role::target;
    const bool is_text = *target < layout.first_record.size() &&
                         !number_in(trimmed(layout.first_record[*target]), decimal_mark(options)).has_value();
    plan.target = plan_target(options, is_text);
  }
  if (user) plan.columns[*user].role = Role::user;
  plan.has_user = user.has_value();

  if (schema) {
    plan_with_schema(*schema, layout, target.has_value() || !schema_target.empty(), plan);
  } else {
    plan_without_schema(layout, options.features, plan);
  }
  // A schema may leave the intercept alone.
  if (plan.features == 0 && !schema)
    throw_error<DataError>("{}: no column is left as a feature", layout.context.file);
  if (plan.features > std::numeric_limits<std::uint32_t>::max())
    throw_error<DataError>("{}: {} features, expected fewer than 2^32", layout.context.file, plan.features);
  return plan;
}

}  // namespace tacit::inline v1
