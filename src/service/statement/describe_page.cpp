#include "service/statement/describe_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/utf8.hpp"
#include "model/certificate_json.hpp"
#include "service/report/html.hpp"
#include "service/statement/shown_numbers.hpp"
#include "tacit/core.hpp"
#include "tacit/model.hpp"

namespace tacit::inline v1::service {

namespace {

using Json = nlohmann::ordered_json;

double value(const Json& estimate) { return estimate["value"].get<double>(); }

// How the numbers of a column's cells are read; counts are numbers in any case.
Reading reading_of(const Json& column) { return column.contains("unit") ? Reading::date : Reading::number; }

struct Bar {
  std::string label;  // text
  const Json* estimate;
};

// One column of a statement: what was found of it, and what the schema says of it.
struct DescribedColumn {
  std::string name;  // for people
  const Json& found;
  bool whole;  // its cells are whole numbers
};

std::vector<DescribedColumn> columns_of(const Json& json) {
  std::vector<DescribedColumn> columns;
  const Json& schema = json["schema"]["columns"];
  for (const auto& [name, found] : json["columns"].items())
    columns.push_back({visible(name), found, schema.contains(name) && schema[name].value("integer", false)});
  return columns;
}

std::vector<Bar> bars_of(const DescribedColumn& described) {
  const Json& column = described.found;
  std::vector<Bar> bars;
  if (column.contains("histogram")) {
    const Json& edges = column["histogram"]["edges"];
    const auto edge = [&](std::size_t k) { return shown_number(edges[k].get<double>(), reading_of(column)); };
    std::size_t k = 0;
    for (const Json& cell : column["histogram"]["counts"]) {
      const bool one = described.whole && edges[k + 1].get<double>() == edges[k].get<double>() + 1;
      bars.push_back({one ? edge(k) : edge(k) + " to " + edge(k + 1), &cell});
      ++k;
    }
  }
  if (column.contains("categories"))
    for (const auto& [name, cell] : column["categories"].items()) bars.push_back({visible(name), &cell});
  return bars;
}

// At most 22 characters; a character is not cut in two.
std::string short_label(const std::string& label) {
  std::size_t end = 0, characters = 0;
  const auto starts = [&](std::size_t k) { return (static_cast<unsigned char>(label[k]) & 0xC0U) != 0x80U; };
  for (; end < label.size(); ++end)
    if (starts(end) && ++characters > 22) break;
  return end == label.size() ? label : label.substr(0, end) + "…";
}

// Horizontal bars, with the interval as a line. As wide as a phone, so that its text is not made smaller
// there.
std::string bar_plot(const std::string& title, const std::vector<Bar>& bars) {
  constexpr double left = 140, width = 190, height = 18;
  double most = 1;
  for (const Bar& bar : bars) most = std::max(most, (*bar.estimate)["interval"][1].get<double>());
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\" style=\"display:block;width:100%;"
      "max-width:30rem;font:11px sans-serif\">\n<title>{2}</title><desc>A bar for each count, a line for its "
      "interval.</desc>\n",
      left + width + 10, height * static_cast<double>(bars.size()) + 4, html::text(title));
  double y = 2;
  for (const Bar& bar : bars) {
    const auto x = [&](double count) { return left + width * count / most; };
    const Json& interval = (*bar.estimate)["interval"];
    svg += fmt::format(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" "
        "height=\"{}\" fill=\"#6b93c4\"><title>{}</title></rect><path d=\"M{:.1f} {}H{:.1f}\" "
        "stroke=\"#222\"/>\n",
        left - 6, y + 12, html::text(short_label(bar.label)), left, y + 2, x(value(*bar.estimate)) - left,
        height - 4, html::text(shown_estimate(*bar.estimate)), x(interval[0].get<double>()), y + height / 2,
        x(interval[1].get<double>()));
    y += height;
  }
  return svg + "</svg>\n";
}

html::Section column_section(std::size_t number, const DescribedColumn& described) {
  const Json& column = described.found;
  html::Table table{
      .caption = "Each with its interval", .headers = {"Statistic", "Value", "Interval"}, .rows = {}};
  const auto row = [&](const std::string& what, const Json& estimate, Reading reading) {
    const Json& interval = estimate["interval"];
    table.rows.push_back({html::text(what), shown_number(value(estimate), reading),
                          fmt::format("{} to {}", shown_low(interval[0].get<double>(), reading),
                                      shown_high(interval[1].get<double>(), reading))});
  };
  const Reading cells = reading_of(column);
  if (column.contains("count")) row("count", column["count"], Reading::number);
  if (column.contains("missing")) row("share of empty cells", column["missing"], Reading::number);
  if (column.contains("mean")) row("mean", column["mean"], cells);
  if (column.contains("quantiles"))
    for (const auto& [level, estimate] : column["quantiles"].items())
      row("quantile " + level, estimate, cells);
  const std::vector<Bar> bars = bars_of(described);
  std::string body = table.rows.empty() ? "" : html::table(table, "Statistics of " + described.name);
  if (!bars.empty()) body += bar_plot("Counts of " + described.name, bars);
  return {fmt::format("column-{}", number), described.name, body};
}

std::string left_out(const Json& json) {
  std::string list;
  if (json.contains("left_out"))
    for (const auto& [name, why] : json["left_out"].items())
      list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", visible(name), why.get<std::string>());
  return list;
}

// Rounded up: never less than what was spent.
std::string cost_in_words(const Json& cost) {
  std::string words = "epsilon = " + decimal_up(cost["epsilon"].get<double>(), 6);
  if (cost.contains("delta")) words += " (delta = " + decimal_up(cost["delta"].get<double>(), 6) + ")";
  return words;
}

// What it cost within to find the schema, and what noise hid: sentences, none where it was given.
std::vector<std::string> told_within(const Json& json) {
  std::vector<std::string> told;
  if (json.contains("cost"))
    told.push_back(fmt::format("Of this, {} found the schema and {} the numbers.",
                               cost_in_words(json["cost"]["schema"]),
                               cost_in_words(json["cost"]["description"])));
  if (json.contains("notes"))
    for (const Json& note : json["notes"])
      told.push_back(fmt::format("Note: {}.", visible(note.get<std::string>())));
  return told;
}

}  // namespace

std::string description_words(const std::string& text) {
  const Json json = Json::parse(text);
  std::string words = summary_text(certificate_from_json(json["certificate"]));
  for (const std::string& sentence : told_within(json)) words += sentence + "\n";
  words +=
      fmt::format("{}: {}\n", json["unit"] == "user" ? "users" : "records", shown_estimate(json["count"]));
  for (const DescribedColumn& described : columns_of(json)) {
    const Json& column = described.found;
    const Reading cells = reading_of(column);
    words += "\n" + described.name + "\n";
    for (const char* key : {"count", "missing"})
      if (column.contains(key)) words += fmt::format("  {:<14} {}\n", key, shown_estimate(column[key]));
    if (column.contains("mean"))
      words += fmt::format("  {:<14} {}\n", "mean", shown_estimate(column["mean"], cells));
    if (column.contains("quantiles"))
      for (const auto& [level, estimate] : column["quantiles"].items())
        words += fmt::format("  {:<14} {}\n", "quantile " + level, shown_estimate(estimate, cells));
    for (const Bar& bar : bars_of(described))
      words += fmt::format("  {:<22} {}\n", bar.label, shown_estimate(*bar.estimate));
  }
  if (const std::string names = left_out(json); !names.empty()) words += "\nLeft out: " + names + ".\n";
  return words +
         fmt::format(
             "\nIntervals hold the records' own value, cells cut to the schema's range, with probability {} "
             "each, over the noise.\n",
             json["confidence"].get<double>());
}

std::string description_body(const std::string& text) {
  const Json json = Json::parse(text);
  std::string body = fmt::format("<p>{}: {}.</p>\n", json["unit"] == "user" ? "People" : "Records",
                                 html::text(shown_estimate(json["count"])));
  std::size_t number = 0;
  for (const DescribedColumn& described : columns_of(json))
    body +=
        fmt::format("<h3>{}</h3>\n{}", html::name(described.name), column_section(++number, described).body);
  return body;
}

std::string description_page(const std::string& text) {
  const Json json = Json::parse(text);
  const bool held = json["private"].get<bool>(), assumes = !json["assumptions"].empty();
  std::vector<html::Section> sections;
  std::string about = fmt::format(
      "<p>{}: {}. Every number comes with an interval that holds the records' own value with probability {}, "
      "cells beyond the schema's range cut to it; it covers the noise that was added, not what another "
      "sample "
      "of people would have said.</p>\n",
      json["unit"] == "user" ? "People" : "Records", html::text(shown_estimate(json["count"])),
      json["confidence"].get<double>());
  for (const std::string& sentence : told_within(json))
    about += fmt::format("<p>{}</p>\n", html::name(sentence));
  for (const Json& assumption : json["assumptions"])
    about += fmt::format("<p><strong>Assumed:</strong> {}.</p>\n", html::name(assumption.get<std::string>()));
  if (const std::string names = left_out(json); !names.empty())
    about += fmt::format("<p>Left out: {}.</p>\n", html::name(names));
  sections.push_back({"about", "What this is", about});
  std::size_t number = 0;
  for (const DescribedColumn& described : columns_of(json))
    sections.push_back(column_section(++number, described));
  const auto tone = !held ? html::Tone::bad : assumes ? html::Tone::conditional : html::Tone::good;
  // Of the whole: what a replaced record costs, and what the schema cost, too.
  const std::string promise = html::text(describe(certificate_from_json(json["certificate"])));
  const std::string condition =
      "<strong>This holds if what is <a href=\"#about\">assumed below</a> is true.</strong> ";
  return html::page("Description of a table", assumes ? condition + promise : promise, tone, sections,
                    "Made by tacit. The file with the numbers can be checked with tacit verify.");
}

}  // namespace tacit::inline v1::service
