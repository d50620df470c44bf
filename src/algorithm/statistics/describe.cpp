#include "algorithm/statistics/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tacit::inline v1::statistics {

namespace {

// Candidates of a quantile, and whole numbers up to which a histogram has a cell for each [utility only].
constexpr std::size_t quantile_points = 4097, most_cells = 64;

std::string levels_text(const std::vector<double>& levels) {
  std::string text;
  for (const double level : levels) text += fmt::format("{}{}", text.empty() ? "" : ",", level);
  return text;
}

std::vector<double> levels_from(std::string_view text) {
  std::vector<double> levels;
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    double level = 0;
    const auto [stop, error] = std::from_chars(at, end, level);
    if (error != std::errc() || (stop < end && *stop != ','))
      throw_error<UsageError>("the quantiles are \"{}\", expected numbers separated by commas", text);
    levels.push_back(level);
    at = stop < end ? stop + 1 : stop;
  }
  return levels;
}

std::string names_of(const DescribeOptions& o) {
  std::string names;
  for (const auto& [asked, name] :
       {std::pair(o.means, "mean"), std::pair(o.quantiles, "quantiles"), std::pair(o.histograms, "histogram"),
        std::pair(o.categories, "categories")})
    if (asked) names += fmt::format("{}{}", names.empty() ? "" : ",", name);
  return names;
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

void DescribeOptions::validate() const {
  tacit::validate(target);
  if (!(means || quantiles || histograms || categories))
    throw_error<UsageError>(
        "no statistic is asked for, expected some of mean, quantiles, histogram, categories");
  if (bins < 2 || bins > 1000) throw_error<UsageError>("bins is {}, expected 2 to 1000", bins);
  if (!(confidence > 0 && confidence < 1))
    throw_error<UsageError>("the confidence is {}, expected between 0 and 1", confidence);
  if (quantiles && levels.empty()) throw_error<UsageError>("no quantile is asked for");
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (!(levels[k] > 0 && levels[k] < 1 && (k == 0 || levels[k] > levels[k - 1])))
      throw_error<UsageError>("a quantile is {}, expected ascending numbers between 0 and 1", levels[k]);
}

Facts DescribeOptions::facts() const {
  Facts facts;
  set_target(facts, target);
  facts.set("neighbours", std::string(name(neighbours)));
  facts.set("statistics", names_of(*this));
  facts.set("quantiles", levels_text(levels));
  facts.set("bins", bins);
  facts.set("confidence", confidence);
  return facts;
}

DescribeOptions DescribeOptions::from(const Facts& facts, Unit unit) {
  const std::string& names = facts.text("statistics");
  const auto has = [&](std::string_view name) {
    return fmt::format(",{},", names).find(fmt::format(",{},", name)) != std::string::npos;
  };
  DescribeOptions options{.target = target_from(facts),
                          .unit = unit,
                          .neighbours = parse_neighbours(facts.text("neighbours")),
                          .means = has("mean"),
                          .quantiles = has("quantiles"),
                          .histograms = has("histogram"),
                          .categories = has("categories"),
                          .levels = levels_from(facts.text("quantiles")),
                          .bins = facts.integer("bins"),
                          .confidence = facts.number("confidence")};
  options.validate();
  return options;
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
