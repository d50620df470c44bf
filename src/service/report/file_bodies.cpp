#include "service/report/file_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/utf8.hpp"
#include "service/report/report_sections.hpp"
#include "service/statement/shown_numbers.hpp"

namespace tacit::inline v1::service {

namespace {

std::string calibration_table(const Json& json) {
  if (!json.contains("calibration")) return "";
  html::Table table{.caption =
                        "Calibration: of the records with such a probability, those that have the "
                        "second class",
                    .headers = {"Predicted probability", "Records", "Share of the second class"},
                    .rows = {}};
  for (const Json& cell : json["calibration"])
    table.rows.push_back(
        {fmt::format("{:.4g} to {:.4g}", cell["low"].get<double>(), cell["high"].get<double>()),
         html::text(shown_estimate(cell["count"])), html::text(shown_estimate(cell["share"]))});
  return html::table(table, "Calibration of the model");
}

}  // namespace

std::string evaluation_body(const Json& json) {
  html::Table table{.caption = "On records that the model did not see, if they were kept apart",
                    .headers = {"Measure", "Model", "Best constant"},
                    .rows = {}};
  for (const auto& [name, interval] : json["intervals"].items()) {
    std::string constant = "–";
    if (json.contains("constant") && json["constant"].contains(name))
      constant = html::text(shown_estimate(
          {{"value", json["constant"][name]}, {"interval", json["constant_intervals"][name]}}));
    table.rows.push_back({html::text(name),
                          html::text(shown_estimate({{"value", json[name]}, {"interval", interval}})),
                          constant});
  }
  return html::table(table, "Scores of the model") + calibration_table(json);
}

std::string schema_body(const Json& json) {
  html::Table table{.caption = "Columns", .headers = {"Column", "Kind", "Range or categories"}, .rows = {}};
  for (const auto& [name, column] : json["columns"].items()) {
    std::string what;
    if (column.contains("min")) what = fmt::format("{} to {}", column["min"].dump(), column["max"].dump());
    if (column.contains("categories")) {
      constexpr std::size_t most = 12;
      for (std::size_t k = 0; k < std::min(column["categories"].size(), most); ++k)
        what += (k == 0 ? "" : ", ") + column["categories"][k].get<std::string>();
      if (column["categories"].size() > most)
        what += fmt::format(", and {} more", column["categories"].size() - most);
    }
    table.rows.push_back(
        {html::name(visible(name)), html::text(column.value("type", "")), html::name(visible(what))});
  }
  return html::table(table, "Columns of the schema");
}

std::string model_body(const FittedModel& model) {
  std::string body = model_section(model).body;
  if (const auto columns = columns_section(model))
    body = "<h3>What each column adds</h3>\n" + columns->body + "<h3>Coefficients</h3>\n" + body;
  return body;
}

}  // namespace tacit::inline v1::service
