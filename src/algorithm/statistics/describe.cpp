#include "algorithm/statistics/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "algorithm/statistics/option_lines.hpp"

namespace tacit::inline v1::statistics {

namespace {

// Candidates of a quantile, and whole numbers up to which a histogram has a cell for each [utility only].
constexpr std::size_t quantile_points = 4097, most_cells = 64;

struct StatisticKind {
  std::string_view name;
  bool DescribeOptions::*asked;
};
constexpr StatisticKind statistic_kinds[] = {{"mean", &DescribeOptions::means},
                                             {"quantiles", &DescribeOptions::quantiles},
                                             {"histogram", &DescribeOptions::histograms},
                                             {"categories", &DescribeOptions::categories}};

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> pieces;
  std::istringstream stream(text);
  for (std::string piece; std::getline(stream, piece, ',');) pieces.push_back(piece);
  return pieces;
}

std::string statistics_text(const DescribeOptions& options) {
  std::vector<std::string_view> names;
  for (const StatisticKind& kind : statistic_kinds)
    if (options.*kind.asked) names.push_back(kind.name);
  return fmt::format("{}", fmt::join(names, ","));
}

void read_statistics(DescribeOptions& options, const std::string& text) { options.ask_only(pieces(text)); }

std::string levels_text(const DescribeOptions& options) {
  return fmt::format("{}", fmt::join(options.levels, ","));
}

void read_levels(DescribeOptions& options, const std::string& text) {
  options.levels.clear();
  for (const std::string& piece : pieces(text)) {
    const char* const end = piece.data() + piece.size();
    const auto [stop, error] = std::from_chars(piece.data(), end, options.levels.emplace_back());
    if (error != std::errc() || stop != end)
      throw_error<UsageError>("the quantiles are \"{}\", expected numbers separated by commas", text);
  }
}

class Describer {
 public:
  Describer(const DescribeOptions& options, const Terms& terms, Answers& answers)
      : options_(options), terms_(terms), answers_(answers) {}

  void describe(const NumericColumn& column, const Cells& cells, DescribedColumn& found) {
    if (options_.means) {
      const MeanAnswer answer = ask_mean(cells, {column.min, column.max}, Gaps::some, 1, terms_, answers_);
      found.mean = answer.mean;
      found.presence = answer.presence;
    }
    std::optional<Answer> counts;
    if (options_.histograms) counts = histogram(column, cells, found);
    for (const double level : options_.quantiles ? options_.levels : std::vector<double>{}) {
      const double each = 1 / static_cast<double>(options_.levels.size());
      const double value =
          ask_quantile(cells, level, grid_over(column, quantile_points), each, terms_, answers_);
      Interval within{column.min, column.max};
      if (counts) within = quantile_interval(level, found.edges, *counts, terms_.failure);
      within.high = std::min(within.high, column.max);  // the last cell of whole numbers ends beyond it
      found.quantiles.emplace_back(level, Estimate{std::clamp(value, within.low, within.high), within});
    }
    // Noise does not keep their order.
    std::vector<double> values;
    for (const auto& [level, q] : found.quantiles) values.push_back(q.value);
    std::ranges::sort(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      Estimate& q = found.quantiles[k].second;
      q.value = std::clamp(values[k], q.interval.low, q.interval.high);
    }
  }

  void describe(const CategoricalColumn& column, const Cells& cells, DescribedColumn& found) {
    if (!options_.categories) return;
    const std::size_t classes = column.categories.size() + 2;  // other, empty
    const Answer counts = ask_counts(
        cells, [&](double v) { return std::isnan(v) ? classes - 1 : static_cast<std::size_t>(v); }, classes,
        1, terms_, answers_);
    for (std::size_t k = 0; k + 1 < classes; ++k)
      found.categories.emplace_back(k < column.categories.size() ? column.categories[k] : "other",
                                    count(counts, k));
    found.presence = presence_in(counts);
  }

 private:
  // The last count is that of empty cells.
  Presence presence_in(const Answer& counts) const {
    const Eigen::Index present = counts.value.size() - 1;
    const double missing = counts.value[present];
    if (terms_.units) return presence(missing, counts.step, terms_);
    return presence(counts.value.head(present).sum(), static_cast<std::size_t>(present), missing, counts.step,
                    terms_);
  }
  Estimate count(const Answer& counts, std::size_t k) const {
    return estimate(counts.value[static_cast<Eigen::Index>(k)], reach(counts.step, terms_.failure),
                    {0, terms_.units ? terms_.most() : most_units});
  }

  Answer histogram(const NumericColumn& column, const Cells& cells, DescribedColumn& found) {
    NumericColumn scale = column;
    if (column.integer && column.max - column.min < static_cast<double>(most_cells)) {
      scale.max += 1;  // a cell for each whole number
      found.edges = grid_over(scale, most_cells + 2);
    } else {
      scale.integer = false;
      found.edges = grid_over(scale, static_cast<std::size_t>(options_.bins) + 1);
    }
    const std::size_t bins = found.edges.size() - 1;
    const auto which = [&](double v) {
      if (std::isnan(v)) return bins;
      const auto above =
          static_cast<std::size_t>(std::ranges::upper_bound(found.edges, v) - found.edges.begin());
      return std::clamp<std::size_t>(above, 1, bins) - 1;
    };
    Answer counts = ask_counts(cells, which, bins + 1, 1, terms_, answers_);
    for (std::size_t k = 0; k < bins; ++k) found.histogram.push_back(count(counts, k));
    // Where n is private the mean's answer has the noise of two numbers, not of every cell.
    if (terms_.units || !found.presence) found.presence = presence_in(counts);
    return counts;
  }

  const DescribeOptions& options_;
  const Terms& terms_;
  Answers& answers_;
};

Estimate ask_size(const Table* table, const Terms& terms, Answers& answers) {
  if (terms.units) return {terms.most(), {terms.most(), terms.most()}};
  const std::vector<double> alike(table ? table->weights.size() : 0);  // whatever the columns hold
  const Cells all{alike, table ? table->weights : std::span<const std::int64_t>{}};
  const Answer size = ask_counts(
      all, [](double) { return std::size_t{0}; }, 1, 0.5, terms, answers);
  return estimate(size.value[0], reach(size.step, terms.failure), {0, most_units});
}

}  // namespace

const OptionTable<DescribeOptions>& DescribeOptions::table() {
  static const OptionTable<DescribeOptions> table = {
      budget(&DescribeOptions::target),
      relation(&DescribeOptions::neighbours),
      listed("statistics", statistics_text, read_statistics,
             "some of mean, quantiles, histogram, categories"),
      listed("quantiles", levels_text, read_levels, "levels, ascending"),
      field(&DescribeOptions::bins, "bins", between(2, 1000), "cells of a histogram"),
      field(&DescribeOptions::confidence, "confidence", open(0, 1), "of each interval")};
  return table;
}

void DescribeOptions::ask_only(std::span<const std::string> names) {
  for (const StatisticKind& kind : statistic_kinds) this->*kind.asked = false;
  for (const std::string& name : names) {
    const auto* const kind = std::ranges::find(statistic_kinds, name, &StatisticKind::name);
    if (kind == std::end(statistic_kinds))
      throw_error<UsageError>(
          "the statistic \"{}\" is unknown, expected mean, quantiles, histogram or categories", name);
    this->*kind->asked = true;
  }
}

void DescribeOptions::validate() const {
  tacit::validate(target);
  table().validate(*this);
  if (!(means || quantiles || histograms || categories))
    throw_error<UsageError>(
        "no statistic is asked for, expected some of mean, quantiles, histogram, categories");
  if (quantiles && levels.empty()) throw_error<UsageError>("no quantile is asked for");
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (!(levels[k] > 0 && levels[k] < 1 && (k == 0 || levels[k] > levels[k - 1])))
      throw_error<UsageError>("a quantile is {}, expected ascending numbers between 0 and 1", levels[k]);
}

Description describe(const Schema& schema, const DescribeOptions& options, std::optional<std::size_t> units,
                     const Table* table, Answers& answers) {
  options.validate();
  const Terms terms{.neighbours = options.neighbours,
                    .unit = options.unit,
                    .units = units,
                    .failure = 1 - options.confidence};
  Description found{.count = ask_size(table, terms, answers), .columns = {}};
  Describer describer(options, terms, answers);
  for (std::size_t k = 0; k < schema.columns.size(); ++k) {
    const auto& kind = schema.columns[k].kind;
    DescribedColumn column{.name = schema.columns[k].name};
    const Cells cells{table ? table->columns[k] : std::span<const double>{},
                      table ? table->weights : std::span<const std::int64_t>{}};
    if (const auto* number = std::get_if<NumericColumn>(&kind))
      describer.describe(*number, cells, column);
    else if (const auto* date = std::get_if<DateColumn>(&kind)) {
      column.date = true;
      describer.describe(date->number, cells, column);
    } else if (const auto* categories = std::get_if<CategoricalColumn>(&kind))
      describer.describe(*categories, cells, column);
    else
      continue;
    found.columns.push_back(std::move(column));
  }
  return found;
}

}  // namespace tacit::inline v1::statistics
