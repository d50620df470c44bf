#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "service/report/report_sections.hpp"
#include "tacit/fit.hpp"
#include "tacit/model.hpp"
#include "tacit/verify.hpp"

namespace tacit::inline v1::service {

namespace {

std::string shown(const FactValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.6g}", *number);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  return html::name(std::get<std::string>(value));
}

// What a number of the certificate counts, where the page states another beside it.
std::string counted(const Certificate& c, const std::string& key) {
  const Facts& facts = c.assumed_public;
  if (key == "features" && facts.number("intercept") != 0) return " (the constant counted)";
  if (key == "records" && facts.has("records_held_out"))
    return fmt::format(" that were fitted, of {}",
                       facts.integer("records") + facts.integer("records_held_out"));
  return "";
}

// Whether an option was released together with the model, or follows from what was, and so depends on the
// data.
bool released(const Certificate& c, std::string_view key) {
  using namespace std::string_view_literals;
  static constexpr std::array always = {"chosen"sv,        "noisy_score"sv,       "chosen_clip_norm"sv,
                                        "phases_passed"sv, "feature_exponents"sv, "label_offset"sv,
                                        "label_scale"sv};
  if (std::ranges::find(always, key) != always.end()) return true;
  if (!c.options.has("limits")) return false;
  // Where sizes are chosen privately, the plan follows from them, and so do these options; the others were
  // there before, as the guarantee and the relation were.
  static constexpr std::array sizes = {"slope_limit"sv, "curvature_limit"sv, "regularisation"sv,
                                       "label_bound"sv, "gradient_bound"sv,  "smoothing_radius"sv};
  static constexpr std::array before = {"epsilon"sv, "delta"sv, "mu"sv, "neighbours"sv, "limits"sv};
  if (std::ranges::find(sizes, key) != sizes.end()) return true;
  return std::ranges::find(before, key) == before.end() && !find_option(find_method(c.method), key);
}

template <class Wanted>
std::string facts_table(const Certificate& c, const Facts& facts, std::string caption, std::string_view label,
                        Wanted wanted) {
  html::Table table{.caption = std::move(caption), .headers = {"Name", "Value"}, .rows = {}};
  for (const auto& [key, value] : facts.entries())
    if (wanted(key))
      table.rows.push_back(
          {html::name(key), shown(value) + (&facts == &c.assumed_public ? counted(c, key) : "")});
  return table.rows.empty() ? "" : html::table(table, label);
}

}  // namespace

html::Section assumptions_section(const Certificate& c) {
  std::string body = "<ul>\n";
  const std::vector<std::string> assumed = told_assumptions(c);
  for (const std::string& assumption : assumed)
    body += fmt::format("<li><strong>Assumed:</strong> {}.</li>\n", html::name(assumption));
  body +=
      "<li>The kernel's random bits cannot be predicted, and the machine computes as it should.</li>\n"
      "<li>The file was made by tacit, from data that fits the facts below. No file can prove that; a "
      "signature "
      "ties it to who says so.</li>\n"
      "<li>What the tables below call public would have been the same without any one ";
  body += c.unit == Unit::item ? "record.</li>\n</ul>\n" : "person's records.</li>\n</ul>\n";
  if (assumed.empty())
    body = "<p>Nothing is assumed about the data: the promise holds for any. It rests on this:</p>\n" + body;
  const auto is_released = [&](std::string_view key) { return released(c, key); };
  body += facts_table(c, c.assumed_public, "Taken to be public", "What is taken to be public",
                      [](std::string_view) { return true; });
  body += facts_table(c, c.options, "Options of the method, public too", "Options of the method",
                      std::not_fn(is_released));
  body +=
      facts_table(c, c.options,
                  "Not public, but found from the records and released under the promise, or following from "
                  "what was",
                  "Values found from the records", is_released);
  return {"assumptions", "What it rests on", body};
}

namespace {

std::string meaning(const FittedModel& model) {
  const auto* link = std::get_if<Link>(&model.loss);
  if (link == nullptr)
    return "what one unit of the feature adds to the score of a class; the class with the highest score is "
           "predicted";
  if (link->kind == LinkKind::poisson)
    return "what one unit of the feature adds to the logarithm of the count";
  if (model.schema && model.schema->target && model.schema->target->log1p)
    return fmt::format(
        "what one unit of the feature adds to log(1 + y - {}) of the number y that is predicted",
        *model.schema->target->min);
  if (!classifies(model.loss)) return "what one unit of the feature adds to the number that is predicted";
  return fmt::format(
      "what one unit of the feature adds to the score; above 0 it speaks for {}, below 0 for {}",
      html::name(model.classes.at(1)), html::name(model.classes.at(0)));
}

// A number is a line, whose unit is its range, or a curve of hats, which has no unit but heights
// [features.md].
bool is_curve(const NumericColumn& column) {
  if (const auto* list = std::get_if<std::vector<double>>(&column.knots)) return list->size() >= 2;
  const auto* count = std::get_if<std::size_t>(&column.knots);
  return count && *count >= 2;
}

// What one unit of each kind of feature is, of the kinds that the schema has.
std::string units_of(const Schema& schema) {
  bool lines = false, curves = false, categories = false;
  for (const SchemaColumn& column : schema.columns) {
    const auto* date = std::get_if<DateColumn>(&column.kind);
    const auto* number = date ? &date->number : std::get_if<NumericColumn>(&column.kind);
    if (number)
      (is_curve(*number) ? curves : lines) = true;
    else if (!std::holds_alternative<IgnoredColumn>(column.kind))
      categories = true;
    categories = categories || (date && (date->month || date->weekday || date->hour));
  }
  std::string text;
  if (lines) text += " One unit of a numeric feature is its whole range in the schema.";
  if (curves)
    text +=
        " The coefficient of <code>column@point</code> is the height of that column's curve at the point, "
        "which is what the column adds there; between two points the curve goes from one height to the "
        "other.";
  if (categories) text += " A category is there (1) or not (0).";
  if (!schema.pairs.empty()) text += " The feature of a pair is the product of its two features.";
  return text;
}

// Two columns more: what the coefficients would be with the interval's ends for parameters. `order` has the
// features of the table's rows, which begin with the constant.
void add_intervals(const FittedModel& model, const std::vector<std::size_t>& order, html::Table& table) {
  const auto with = [&](const Vector& parameters) {
    FittedModel at = model;
    at.parameters = parameters;
    return coefficients(at);
  };
  const auto add = [&](std::string header, const Vector& lower, const Vector& upper) {
    const Coefficients low = with(lower), high = with(upper);
    table.headers.push_back(std::move(header));
    table.rows[0].push_back(fmt::format("{:.4g} to {:.4g}", low.intercepts[0], high.intercepts[0]));
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto at = static_cast<Eigen::Index>(order[k]);
      table.rows[k + 1].push_back(fmt::format("{:.4g} to {:.4g}", low.values(at, 0), high.values(at, 0)));
    }
  };
  const Intervals& found = *model.intervals;
  add(fmt::format("Of the population, {:g} %", 100 * found.level), found.lower, found.upper);
  add(fmt::format("Without noise, {:g} %", 100 * found.level), found.minimiser_lower, found.minimiser_upper);
}

// A bucket of hashed texts has a number and no name, so that its coefficient says little to a reader.
bool is_bucket(const FittedModel& model, std::string_view feature) {
  return model.schema && std::ranges::any_of(model.schema->columns, [&](const SchemaColumn& column) {
           return std::holds_alternative<HashedColumn>(column.kind) &&
                  feature.starts_with(column.name + "=#");
         });
}

std::string coefficient_table(const FittedModel& model) {
  constexpr std::size_t most_rows = 100, most_columns = 20;  // a page is for reading; the file has them all
  const Coefficients found = coefficients(model);
  const std::size_t outputs = std::min(found.outputs.size(), most_columns);
  std::vector<std::size_t> order(found.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t k) {
    return found.values.row(static_cast<Eigen::Index>(k)).cwiseAbs().maxCoeff();
  };
  if (order.size() > most_rows)
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
  const bool buckets = std::stable_partition(order.begin(), order.end(), [&](std::size_t k) {
                         return !is_bucket(model, found.features[k]);
                       }) != order.end();
  const std::size_t rows = std::min(order.size(), most_rows);

  html::Table table{.caption = "Coefficients", .headers = {"Feature"}, .rows = {}};
  if (rows < order.size())
    table.caption = fmt::format("The {} largest of {} coefficients{}", rows, order.size(),
                                buckets ? ", those of hash buckets last" : "");
  const auto cells = [&](std::string first, const auto& values) {
    std::vector<std::string> row{std::move(first)};
    for (std::size_t k = 0; k < outputs; ++k)
      row.push_back(fmt::format("{:.6g}", values[static_cast<Eigen::Index>(k)]));
    table.rows.push_back(std::move(row));
  };
  for (std::size_t k = 0; k < outputs; ++k)
    table.headers.push_back(found.outputs.size() == 1 ? "Coefficient" : html::name(found.outputs[k]));
  cells("(constant)", found.intercepts);
  for (std::size_t k = 0; k < rows; ++k)
    cells(html::name(found.features[order[k]]), found.values.row(static_cast<Eigen::Index>(order[k])));
  if (model.intervals) {
    order.resize(rows);
    add_intervals(model, order, table);
  }
  return html::table(table, "Coefficients of the model");
}

}  // namespace

html::Section model_section(const FittedModel& model) {
  std::string body = fmt::format("<p>It predicts {} from {} feature{}, with the loss <code>{}</code>.</p>\n",
                                 model.target.empty() ? "the target" : html::name(model.target),
                                 model.features, model.features == 1 ? "" : "s", name(model.loss));
  for (const std::string& warning : warnings(model))
    body += fmt::format("<p><strong>Beware:</strong> {}.</p>\n", html::text(warning));
  if (model.samples.size() > 1)
    body += fmt::format("<p>The file has {} samples; this is the last.</p>\n", model.samples.size());
  const bool network = std::holds_alternative<Network>(model.loss);
  if (network || std::holds_alternative<RobustFit>(model.loss)) {
    body += fmt::format("<p>It is {} with {} parameters: no single number says what a feature does.</p>\n",
                        network ? "a network" : "no linear model, one", model.parameters.size());
    return {"model", "The model", body};
  }
  body += fmt::format("<p>A coefficient is {}.", meaning(model));
  if (model.schema) body += units_of(*model.schema);
  body += "</p>\n" + coefficient_table(model);
  if (!std::holds_alternative<NoPrivacy>(model.certificate.guarantee) && !model.parameters.isZero(0))
    body +=
        "<p>The coefficients contain the noise that the promise needs. Small ones may be nothing else.</p>\n";
  return {"model", "The model", body};
}

}  // namespace tacit::inline v1::service
