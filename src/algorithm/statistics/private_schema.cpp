#include "algorithm/statistics/private_schema.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "algorithm/statistics/option_lines.hpp"
#include "data/text.hpp"

namespace tacit::inline v1::statistics {

namespace {

using Kind = decltype(SchemaColumn::kind);

constexpr std::size_t most_categories = 100;       // as in drafts [utility only]
constexpr double share_of_target = 3;              // against 1 of every column [utility only]
constexpr double share_of_delta_for_texts = 0.25;  // [utility only]

// A column, or why there is none.
struct Drafted {
  Kind kind = IgnoredColumn{};
  std::string why_not;
};

NumericColumn range_of(const RawFindings& found) {
  NumericColumn number{.min = found.low, .max = found.high, .log1p = found.log1p};
  number.integer = found.whole;
  number.missing_indicator = found.gaps;
  if (!found.gaps) number.missing = std::clamp(found.usual, found.low, found.high);
  return number;
}

std::vector<std::string> most_frequent(const noise::TextCounts& texts) {
  noise::TextCounts ranked = texts;
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &noise::TextCounts::value_type::second);
  ranked.resize(std::min(ranked.size(), most_categories));
  std::vector<std::string> names;
  for (auto& [text, count] : ranked) names.push_back(std::move(text));
  std::ranges::sort(names);
  return names;
}

Drafted text_column(const RawFindings& found, bool told) {
  if (found.unique) return {.kind = IgnoredColumn{}, .why_not = "text, most of it different in every record"};
  if (!found.texts.empty()) {
    CategoricalColumn column{.categories = most_frequent(found.texts)};
    column.missing_indicator = found.gaps;
    if (!found.gaps) column.missing = "other";
    return {.kind = std::move(column), .why_not = {}};
  }
  // Four times as many buckets as texts that show keep most of them apart [utility only].
  HashedColumn column{.buckets =
                          told ? text_buckets
                               : std::clamp<std::size_t>(std::bit_ceil(4 * found.occupied), 8, text_buckets)};
  column.missing_indicator = found.gaps;
  if (!found.gaps) column.missing = "missing";
  return {.kind = std::move(column), .why_not = {}};
}

Drafted column_of(const RawFindings& found, bool told) {
  switch (found.kind) {
    case ColumnKind::unknown:
      return {.kind = IgnoredColumn{}, .why_not = "the noise hides what it holds; more epsilon would tell"};
    case ColumnKind::blank:
      return {.kind = IgnoredColumn{}, .why_not = "most cells are empty"};
    case ColumnKind::comma:
      return {.kind = IgnoredColumn{},
              .why_not = "numbers with a decimal comma; state the decimal mark \",\" to have them read"};
    case ColumnKind::text:
      return text_column(found, told);
    case ColumnKind::number:
    case ColumnKind::date:
      break;
  }
  if (!(found.low < found.high)) return {.kind = IgnoredColumn{}, .why_not = "one value in most records"};
  if (found.kind == ColumnKind::number) return {.kind = range_of(found), .why_not = {}};
  return {.kind = DateColumn{.number = range_of(found)}, .why_not = {}};
}

std::string coarse_note(const std::vector<std::string>& columns) {
  std::string names;
  for (const std::string_view name : columns) names += (names.empty() ? "" : ", ") + shown(name);
  return fmt::format(
      "the noise hides where the cells of {} are, and {} is wide: state min and max, or give more epsilon",
      names, columns.size() == 1 ? "its range" : "their range");
}

// Whether a name's last word is "id": id, user_id, userId.
bool names_an_id(std::string_view name) {
  if (name.size() < 2) return false;
  const std::string_view last = name.substr(name.size() - 2);
  if (name.size() == 2) return last == "id" || last == "ID" || last == "Id";
  const char before = name[name.size() - 3];
  const bool letter = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
  return last == "Id" || last == "ID" || (last == "id" && !letter);
}

// By its name, or by how many values it has, which was released.
std::string hint_on(std::string_view name, const RawFindings& found) {
  if (found.kind == ColumnKind::number && found.unshown)
    return fmt::format(
        "the noise hides where between {} and {} the cells of {} are: state its min and max, or give more "
        "epsilon",
        found.low, found.high, shown(name));
  if (found.many || names_an_id(name))
    return fmt::format(
        "{} {}: if it says whose record it is, name it as the user, or make its type \"ignore\"", shown(name),
        found.many ? "holds whole numbers, most of them different" : "is called an id");
  return "";
}

SchemaTarget target_of(std::string_view name, const RawFindings& found, bool told, bool number,
                       std::vector<std::string>& notes) {
  SchemaTarget target{.column = std::string(name)};
  const auto note = [&](std::string_view what) {
    notes.push_back(fmt::format("the target {} {}", shown(name), what));
  };
  if (number && found.hidden)
    note("is hidden by the noise, and its values are cut to [0, 1]: give its min and max, or more epsilon");
  constexpr double nearly = 0.95, surely_more = 0.8;
  if (found.kind == ColumnKind::number && found.values.size() == 2 &&
      found.covered > std::max(nearly - found.covered_noise, surely_more)) {
    for (const double value : found.values) target.classes.push_back(fmt::format("{}", value));
  } else if (found.kind == ColumnKind::number && found.low < found.high) {
    target.min = found.low;
    target.max = found.high;
  } else if (number) {
    target.min = found.low;
    target.max = found.low + 1;
  } else if (found.kind == ColumnKind::text && found.texts.size() >= 2) {
    for (const auto& [text, count] : found.texts) target.classes.push_back(text);
  } else if (found.kind == ColumnKind::text) {
    note(told ? "is text, of which fewer than two are frequent: write its classes into the schema"
              : "is text: write its classes into the schema, which costs nothing; given a delta, they are "
                "found");
  } else {
    note("does not show classes or a range; state its classes, or its min and max in the schema");
  }
  return target;
}

}  // namespace

const OptionTable<RangeOptions>& RangeOptions::table() {
  static const OptionTable<RangeOptions> table = {budget(&RangeOptions::target),
                                                  relation(&RangeOptions::neighbours),
                                                  follows(&RangeOptions::classes_stated, "classes-stated")};
  return table;
}

void RangeOptions::validate() const {
  tacit::validate(target);
  if (!std::holds_alternative<Pure>(target) && !std::holds_alternative<Approx>(target))
    throw_error<UsageError>("ranges are found under epsilon, or epsilon and delta");
}

std::vector<std::int64_t> weights_of(const RawTable& table, Unit unit) {
  Dataset data;
  data.features = Features(DenseRows{.rows = table.records, .columns = 0, .values = {}});
  data.users = table.users;
  data.user_count = table.user_count;
  return weights_of(data, unit);
}

FoundSchema find_schema(const RawNames& names, const RangeOptions& options, std::optional<std::size_t> units,
                        const RawTable* table, Answers& answers) {
  options.validate();
  const Terms terms{.neighbours = options.neighbours, .unit = options.unit, .units = units};
  std::vector<std::int64_t> weights;
  RawUnits whose;
  if (table) {
    weights = weights_of(*table, options.unit);
    whose = {.weights = weights,
             .users = options.unit == Unit::user ? table->users : std::span<const std::uint32_t>{}};
  }
  const bool asks_target = !names.target.empty() && !options.classes_stated;
  const auto is_groups = [&](const std::string& name) {
    return !names.group_column.empty() && name == names.group_column;
  };
  const auto of_group = static_cast<std::size_t>(std::ranges::count_if(names.columns, is_groups));
  const std::size_t asked = names.columns.size() - of_group + (asks_target ? 1 : 0);
  double failure = 0;
  if (const auto* approx = std::get_if<Approx>(&options.target)) {
    const double texts =
        options.neighbours == Neighbours::replace_one ? 2 : 1;  // that one unit alone may have
    const double all = mul_down(approx->delta, share_of_delta_for_texts);
    failure = div_down(all, texts * static_cast<double>(std::max<std::size_t>(asked, 1)));
    answers.may_fail(all, "a text that one unit alone has is told with at most this probability");
  }
  const auto ask = [&](const std::string& name, double share, bool target) {
    const RawColumn* column = nullptr;
    if (table) column = &*std::ranges::find(table->columns, name, &RawColumn::name);
    return ask_raw_column(
        column, whose,
        {.failure = failure, .share = share, .target = target, .number = target && options.number_target},
        terms, answers);
  };
  FoundSchema found;
  found.schema.unreadable_missing = true;
  found.schema.user = names.user;
  found.schema.decimal = names.decimal;
  // Asked by name, so that the answers can be told apart whatever the order in which a file lists the
  // columns.
  std::map<std::string, Drafted> drafted;
  std::vector<std::string> coarse;
  for (const std::string& name : std::set(names.columns.begin(), names.columns.end())) {
    if (is_groups(name)) {
      drafted[name].kind = CategoricalColumn{.categories = {names.group_value}, .missing = "other"};
      continue;
    }
    const RawFindings told = ask(name, 1, false);
    drafted[name] = column_of(told, failure > 0);
    if (!drafted[name].why_not.empty()) continue;
    if (told.coarse) coarse.push_back(name);
    if (told.crowded > 0 && std::holds_alternative<HashedColumn>(drafted[name].kind))
      found.notes.push_back(fmt::format(
          "{} has about {:.0f} different texts, surely more than its buckets: if they say whose "
          "record it is, name it as the user, or make its type \"ignore\"; dates are read as 2026-01-31",
          shown(std::string_view(name)), told.crowded));
    else if (std::string hint = hint_on(name, told); !hint.empty())
      found.hints.push_back(std::move(hint));
  }
  if (!coarse.empty()) found.notes.push_back(coarse_note(coarse));
  for (const std::string& name : names.columns) {
    const Drafted& column = drafted[name];
    if (!column.why_not.empty()) found.left_out.emplace_back(name, column.why_not);
    found.schema.columns.push_back({name, column.kind});
  }
  if (asks_target)
    found.schema.target = target_of(names.target, ask(names.target, share_of_target, true), failure > 0,
                                    options.number_target, found.notes);
  else if (!names.target.empty())
    found.schema.target = SchemaTarget{.column = names.target, .classes = names.classes};
  return found;
}

}  // namespace tacit::inline v1::statistics
