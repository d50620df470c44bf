#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/plot.hpp"
#include "tacit/method.hpp"
#include "tacit/service.hpp"

namespace tacit::inline v1::service {

namespace {

struct Summary {
  double mean = 0, deviation = 0;  // the latter 0 for a single value
};

Summary summary(const std::vector<double>& values) {
  Summary s;
  for (const double v : values) s.mean += v / static_cast<double>(values.size());
  for (const double v : values) s.deviation += (v - s.mean) * (v - s.mean);
  if (values.size() > 1) s.deviation = std::sqrt(s.deviation / static_cast<double>(values.size() - 1));
  return s;
}

std::string shown(const std::vector<double>& values) {
  if (values.empty()) return "–";
  const auto [mean, deviation] = summary(values);
  return values.size() == 1 ? fmt::format("{:.4g}", mean) : fmt::format("{:.4g} ± {:.2g}", mean, deviation);
}

double mean_seconds(const ComparedMethod& method) {
  double seconds = 0, fits = 0;
  for (const ComparedCell& cell : method.cells) {
    seconds += cell.seconds * static_cast<double>(cell.metric.size());
    fits += static_cast<double>(cell.metric.size());
  }
  return seconds / fits;
}

using Rows = std::vector<std::vector<std::string>>;

// Columns side by side; "±" and "–" are one column wide, whatever their bytes.
std::string aligned(const Rows& rows) {
  const auto width = [](const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  };
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k)
      line += row[k] + std::string(widths[k] + 2 - width(row[k]), ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string whose(const Comparison& c) {
  if (c.neighbours == Neighbours::replace_one)
    return c.unit == Unit::item ? "one record replaced by any other"
                                : "all records of one user replaced by any others";
  return c.unit == Unit::item ? "one record left out, its place kept"
                              : "all records of one user left out, their places kept";
}

// The cells without all their fits, reason by reason.
std::string notes(const ComparedMethod& method) {
  std::map<std::string, std::string> at;
  for (const ComparedCell& cell : method.cells)
    if (!cell.reason.empty()) {
      std::string& list = at[cell.reason];
      list += fmt::format("{}{:g}", list.empty() ? "" : ", ", cell.epsilon);
    }
  std::string text;
  for (const auto& [reason, epsilons] : at)
    text += fmt::format("  {} ({}) at {}: {}\n", method.method, method.notion, epsilons, reason);
  return text;
}

// A method once for each reason, with the notions it concerns.
std::string not_compared(const std::vector<NotCompared>& others) {
  std::vector<std::pair<const NotCompared*, std::string>> lines;
  for (const NotCompared& other : others) {
    const std::string notions =
        other.notion.empty() ? notions_in_words(find_method(other.method)) : other.notion;
    const auto same = std::ranges::find_if(lines, [&](const auto& line) {
      return line.first->method == other.method && line.first->reason == other.reason;
    });
    if (same == lines.end())
      lines.emplace_back(&other, notions);
    else
      same->second += ", " + notions;
  }
  std::string text = lines.empty() ? "" : "\nNot compared:\n";
  for (const auto& [other, notions] : lines)
    text += fmt::format("  {} ({}): {}\n", other->method, notions, other->reason);
  return text;
}

constexpr const char* warning =
    "NOT PRIVATE: measured on the records as they are, over many fits. For public or synthetic data, or for "
    "planning.";

}  // namespace

std::string comparison_text(const Comparison& c) {
  std::string text = std::string(warning) + "\n\n";
  text += fmt::format("{} ({} is better) on {} held-out record{} of {}, {}.\n", c.metric,
                      c.metric == "accuracy" ? "higher" : "lower", c.held_out, c.held_out == 1 ? "" : "s",
                      c.records,
                      c.repeats == 1 ? "of one fit" : fmt::format("mean ± deviation of {} fits", c.repeats));
  text += fmt::format("Every column is one guarantee, for {}: {}.\n\n", whose(c),
                      c.delta ? fmt::format("epsilon with delta = {}, or pure", *c.delta) : "pure epsilon");

  Rows rows{{"method", "privacy"}};
  const auto reference = [&](const char* name, const std::vector<double>& values) {
    rows.push_back({name, "none", shown(values)});
  };
  if (c.methods.empty()) {
    rows.front().push_back(c.metric);  // nothing but the references is there, which have no epsilon
  } else {
    for (const ComparedCell& cell : c.methods.front().cells)
      rows.front().push_back(fmt::format("{:g}", cell.epsilon));
    rows.front().emplace_back("s a fit");
  }
  for (const ComparedMethod& method : c.methods) {
    std::vector<std::string> row{method.method, method.notion};
    for (const ComparedCell& cell : method.cells)
      row.push_back(shown(cell.metric) + (cell.reason.empty() ? "" : " *"));
    row.push_back(fmt::format("{:.2g}", mean_seconds(method)));
    rows.push_back(std::move(row));
  }
  reference("without privacy", c.no_privacy);
  reference("best constant", c.constant);
  text += aligned(rows);

  std::string missing;
  for (const ComparedMethod& method : c.methods) missing += notes(method);
  if (!missing.empty()) text += "\n* fewer fits than asked for:\n" + missing;
  for (const ComparedMethod& method : c.methods)
    if (method.assumes != "nothing")
      text +=
          fmt::format("\nThe privacy of {} ({}) assumes: {}\n", method.method, method.notion, method.assumes);
  text += not_compared(c.others);
  return text + fmt::format("\nEach method had {:.3g} s for all its fits.\n", c.seconds_per_method);
}

std::string comparison_json(const Comparison& c) {
  using Json = nlohmann::ordered_json;
  const auto values = [](const std::vector<double>& v) {
    const auto [mean, deviation] = summary(v);
    return Json{{"runs", v.size()},
                {"mean", v.empty() ? Json(nullptr) : Json(mean)},
                {"deviation", v.size() < 2 ? Json(nullptr) : Json(deviation)}};
  };
  Json results = Json::array(), others = Json::array();
  for (const ComparedMethod& method : c.methods)
    for (const ComparedCell& cell : method.cells) {
      Json result{{"method", method.method},
                  {"notion", method.notion},
                  {"epsilon", cell.epsilon},
                  {"assumes", method.assumes}};
      result.update(values(cell.metric));
      result["seconds"] = cell.seconds;
      result["fitted_with"] = describe(cell.guarantee, c.unit, method.neighbours);
      if (!cell.reason.empty()) result["reason"] = cell.reason;
      results.push_back(std::move(result));
    }
  for (const NotCompared& other : c.others)
    others.push_back({{"method", other.method},
                      {"notion", other.notion.empty() ? Json(nullptr) : Json(other.notion)},
                      {"reason", other.reason}});
  const Json json{{"private", false},
                  {"warning", warning},
                  {"metric", c.metric},
                  {"unit", name(c.unit)},
                  {"neighbours", name(c.neighbours)},
                  {"delta", c.delta ? Json(*c.delta) : Json(nullptr)},
                  {"records", c.records},
                  {"held_out", c.held_out},
                  {"repeats", c.repeats},
                  {"seconds_per_method", c.seconds_per_method},
                  {"without_privacy", values(c.no_privacy)},
                  {"best_constant", values(c.constant)},
                  {"results", results},
                  {"not_compared", others}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string comparison_plot(const Comparison& c) {
  Plot plot{.title = c.metric + " on held-out records (not private)",
            .x_label = c.delta ? fmt::format("epsilon, with delta = {} or pure", *c.delta) : "epsilon (pure)",
            .y_label = c.metric,
            .log_x = true,
            .series = {}};
  std::vector<double> span;
  for (const ComparedMethod& method : c.methods) {
    Series series{.name = method.method + (method.notion == "pure" ? "" : ", " + method.notion)};
    for (const ComparedCell& cell : method.cells) {
      if (cell.metric.empty()) continue;
      const auto [mean, deviation] = summary(cell.metric);
      series.x.push_back(cell.epsilon);
      series.y.push_back(mean);
      series.spread.push_back(deviation);
      span.push_back(cell.epsilon);
    }
    plot.series.push_back(std::move(series));
  }
  if (span.empty()) return to_svg(plot);
  // A single bad method must not press all others into one line.
  std::vector<double> means;
  for (const Series& series : plot.series) means.insert(means.end(), series.y.begin(), series.y.end());
  plot.log_y = c.metric == "rmse" && std::ranges::max(means) > 5 * std::ranges::min(means);
  const auto ends = std::ranges::minmax(span);
  const auto line = [&](const char* name, const std::vector<double>& values) {
    if (values.empty()) return;
    const double mean = summary(values).mean;
    plot.series.push_back({.name = name, .x = {ends.min, ends.max}, .y = {mean, mean}, .dashed = true});
  };
  line("without privacy", c.no_privacy);
  line("best constant", c.constant);
  return to_svg(plot);
}

}  // namespace tacit::inline v1::service
