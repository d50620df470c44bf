#include "model/block_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/encoder_parts.hpp"
#include "data/hats.hpp"
#include "data/iso_date.hpp"

namespace tacit::inline v1 {

double ColumnAxis::place(double x) const { return log1p_from ? std::log1p(x - *log1p_from) : x; }

namespace {

// The trapezoidal rule on the axis' scale: the average of a curve that is straight between its points.
std::vector<double> even_weights(const ColumnAxis& axis) {
  const std::size_t points = axis.at.size();
  std::vector<double> weights(points, 0.0);
  const double range = axis.place(axis.at.back()) - axis.place(axis.at.front());
  for (std::size_t k = 0; k + 1 < points; ++k) {
    const double half = (axis.place(axis.at[k + 1]) - axis.place(axis.at[k])) / (2 * range);
    weights[k] += half;
    weights[k + 1] += half;
  }
  return weights;
}

BlockAxis number_axis(const std::string& name, const NumericColumn& column, bool date) {
  const NumberBlock block{.column = column, .place = {}};
  BlockAxis made{.axis = {.column = name, .kind = date ? AxisKind::date : AxisKind::number}};
  if (column.log1p) made.axis.log1p_from = column.min;
  const auto add = [&](double at, std::size_t feature, double value) {
    made.axis.at.push_back(at);
    made.entries.push_back({{feature, value}});
  };
  made.features = block.curves();
  if (!block.hats()) {
    const double start = block.bound() == 1 ? 0 : -0.5;
    add(column.min, 0, start);
    add(column.max, 0, start + 1);
  } else {
    const auto* list = std::get_if<std::vector<double>>(&column.knots);
    // Before the first knot and after the last one the curve is level.
    if (list != nullptr && column.min < list->front()) add(column.min, 0, 1);
    for (std::size_t k = 0; k < made.features; ++k)
      add(list ? (*list)[k] : even_knot(column, made.features, k), k, 1);
    if (list != nullptr && column.max > list->back()) add(column.max, made.features - 1, 1);
  }
  if (date)
    for (const double at : made.axis.at) made.axis.labels.push_back(date_text(at));
  if (column.missing_indicator) made.missing = BlockEntry{made.features++, block.bound()};
  made.weights = even_weights(made.axis);
  return made;
}

// `rest` labels at the end are no values of the column itself: they do not count in its average.
BlockAxis one_of(const std::string& name, std::vector<std::string> labels, std::size_t rest, AxisKind kind) {
  BlockAxis made{.axis = {.column = name, .kind = kind, .at = {}, .labels = std::move(labels)}};
  made.features = made.axis.labels.size();
  const std::size_t counted = made.features - rest;
  for (std::size_t k = 0; k < made.features; ++k) {
    made.axis.at.push_back(static_cast<double>(k));
    made.entries.push_back({{k, 1}});
    made.weights.push_back(k < counted ? 1 / static_cast<double>(counted) : 0.0);
  }
  return made;
}

struct Axes {
  std::vector<BlockAxis> all;
  std::string name;

  void operator()(const IgnoredColumn&) {}
  void operator()(const NumericColumn& column) { all.push_back(number_axis(name, column, false)); }

  void operator()(const CategoricalColumn& column) {
    std::vector<std::string> labels = column.categories;
    labels.emplace_back("other");
    if (column.missing_indicator) labels.emplace_back("missing");
    const std::size_t rest = labels.size() - column.categories.size();
    all.push_back(one_of(name, std::move(labels), rest, AxisKind::category));
    std::vector<BlockEntry>& other = all.back().entries[column.categories.size()];
    other.front().value = column.other.value_or(1);
    if (const double shared = shared_by_categories(column); shared > 0)
      for (std::size_t k = 0; k < column.categories.size(); ++k) other.push_back({k, shared});
  }

  void operator()(const HashedColumn& column) {
    std::vector<std::string> labels;
    for (std::size_t k = 0; k < column.buckets; ++k) labels.push_back(fmt::format("#{}", k));
    if (column.missing_indicator) labels.emplace_back("missing");
    all.push_back(one_of(name, std::move(labels), column.missing_indicator ? 1 : 0, AxisKind::category));
  }

  void operator()(const DateColumn& column) {
    all.push_back(number_axis(name, column.number, true));
    const bool indicator = column.number.missing_indicator;
    if (column.month) part("month", 1, 12, indicator);
    if (column.weekday) part("weekday", 1, 7, indicator);
    if (column.hour) part("hour", 0, 23, indicator);
  }

  void part(const char* part_name, int first, int last, bool indicator) {
    std::vector<std::string> labels;
    for (int k = first; k <= last; ++k) labels.push_back(fmt::format("{}", k));
    if (indicator) labels.emplace_back("missing");
    all.push_back(one_of(fmt::format("{}.{}", name, part_name), std::move(labels), indicator ? 1 : 0,
                         AxisKind::ordered));
  }
};

}  // namespace

std::vector<BlockAxis> block_axes(const Schema& schema) {
  validate(schema);
  Axes axes;
  for (const SchemaColumn& column : schema.columns) {
    axes.name = column.name;
    std::visit(axes, column.kind);
  }
  return std::move(axes.all);
}

}  // namespace tacit::inline v1
