#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/utf8.hpp"
#include "model/json.hpp"
#include "model/statement.hpp"
#include "service/report/report_sections.hpp"
#include "service/statement/describe_page.hpp"
#include "service/statement/shown_numbers.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

// One page for a project: its budget, and everything that was released of the same people.

namespace tacit::inline v1::service {

namespace {

struct ProjectFile {
  std::string name;
  Json json;
  std::string format = {}, failure = {};  // failure: why its promise does not hold
  Certificate certificate = {};
  std::optional<FittedModel> model = {};
};

ProjectFile read_project_file(const std::filesystem::path& path, const std::filesystem::path& key) {
  ProjectFile file{.name = path.filename().string(), .json = parse_json(read_file(path), path.string())};
  file.format = is_statement(file.json) ? text(file.json, "format") : "tacit-model";
  if (file.format == "tacit-model") file.model = model_if_whole(path);
  if (file.model) file.certificate = file.model->certificate;
  try {
    file.certificate = verify_file(path, key).certificate;
  } catch (const VerificationError& error) {
    file.failure = error.what();
    if (const std::string prefix = path.string() + ": "; file.failure.starts_with(prefix))
      file.failure.erase(0, prefix.size());
  }
  return file;
}

// What each kind of file is called.
std::string_view kind_of(const ProjectFile& file) {
  if (file.format == description_format) return "Description";
  if (file.format == evaluation_format) return "Evaluation";
  if (file.format == schema_format) return "Schema";
  return "Model";
}

// 2026-01-31T12:00:00Z as 2026-01-31 12:00:00 UTC, which may be broken at blanks.
std::string for_people(std::string time) {
  if (const auto at = time.find('T'); at != std::string::npos) time[at] = ' ';
  if (time.ends_with('Z')) time.replace(time.size() - 1, 1, " UTC");
  return time;
}

html::Section ledger_section(const Ledger& ledger) {
  std::string body = fmt::format(
      "<p>The ledger adds up {} guarantees of one {} ({} neighbours), and refuses what would go beyond its "
      "limit.</p>\n",
      html::text(ledger.terms.accountant), ledger.terms.unit == Unit::item ? "record" : "person",
      html::text(name(ledger.terms.neighbours)));
  for (const LedgerBudget& budget : ledger.budgets) {
    html::Table table{
        .caption = fmt::format("{}: limit {}, spent {}, left {}", html::name(budget.name),
                               html::text(in_words(budget.limit)), html::text(in_words(spent(budget))),
                               html::text(in_words(left(budget)))),
        .headers = {"When", "What", "Cost"},
        .rows = {}};
    const bool groups = std::ranges::any_of(
        budget.charges, [](const LedgerCharge& charge) { return charge.group.has_value(); });
    if (groups) table.headers.emplace_back("For");
    for (const LedgerCharge& charge : budget.charges) {
      table.rows.push_back({html::text(for_people(charge.time)), html::text(charge.method),
                            html::text(in_words(charge.amount))});
      if (groups)
        table.rows.back().push_back(
            charge.group ? html::name(charge.group->column + "=" + charge.group->value) : "everybody");
    }
    body += html::table(table, "Charges to " + budget.name);
    if (!budget.charges.empty())
      body += fmt::format("<p>All of it together: {}</p>\n",
                          html::text(describe(spent(budget), ledger.terms.unit, ledger.terms.neighbours)));
  }
  return {"budget", "What was spent", body};
}

// Of all files, each once.
std::vector<std::string> assumptions_of(const std::vector<ProjectFile>& files) {
  std::vector<std::string> assumed;
  for (const ProjectFile& file : files)
    for (const std::string& assumption : file.certificate.assumptions)
      if (std::ranges::find(assumed, assumption) == assumed.end()) assumed.push_back(assumption);
  return assumed;
}

html::Section files_section(const std::vector<ProjectFile>& files) {
  html::Table table{.caption = "Every file, checked again for this page",
                    .headers = {"File", "What", "Promise", "Holds"},
                    .rows = {}};
  for (const ProjectFile& file : files)
    table.rows.push_back({html::name(file.name), std::string(kind_of(file)),
                          file.failure.empty() ? html::text(in_words(file.certificate.guarantee)) : "none",
                          file.failure.empty() ? "yes" : "no: " + html::text(file.failure)});
  std::string body = html::table(table, "Files of this project");
  const std::vector<std::string> assumed = assumptions_of(files);
  if (!assumed.empty()) {
    body += "<p>Their promises hold if all of this is true:</p>\n<ul>\n";
    for (const std::string& assumption : assumed) body += "<li>" + html::name(assumption) + "</li>\n";
    body += "</ul>\n";
  }
  return {"files", "What was released", body};
}

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
  return html::table(table, "Scores of the model");
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

html::Section section_of(const ProjectFile& file, std::size_t number) {
  std::string body = fmt::format("<p>{}</p>\n", html::text(describe(file.certificate)));
  if (!file.failure.empty())
    body = fmt::format("<p><strong>Nothing is promised about this file:</strong> {}.</p>\n",
                       html::text(file.failure));
  if (file.model)
    body += model_body(*file.model);
  else if (file.format == "tacit-model")
    body += "<p>Nothing of it is shown: it is not what tacit wrote.</p>\n";
  else if (file.format == evaluation_format)
    body += evaluation_body(file.json);
  else if (file.format == schema_format)
    body += schema_body(file.json);
  else
    body += description_body(file.json.dump());
  return {fmt::format("file-{}", number), fmt::format("{}: {}", kind_of(file), visible(file.name)), body};
}

// Failures first; then what all of it together costs a person.
std::string project_verdict(const std::vector<ProjectFile>& files, const std::optional<Ledger>& ledger) {
  std::string failed;
  for (const ProjectFile& file : files)
    if (!file.failure.empty()) failed += (failed.empty() ? "" : ", ") + html::name(file.name);
  if (!failed.empty()) return "<strong>Nothing is promised about " + failed + ".</strong>";
  const bool assumes = std::ranges::any_of(
      files, [](const ProjectFile& file) { return !file.certificate.assumptions.empty(); });
  std::string text = assumes
                         ? "<strong>The promise of every file holds, if what is <a href=\"#files\">assumed "
                           "below</a> is true.</strong> "
                         : "<strong>The promise of every file holds.</strong> ";
  if (!ledger)
    return text + "What they cost together is for a ledger to say: releases of the same records add up.";
  for (const LedgerBudget& budget : ledger->budgets)
    text += fmt::format("All releases charged to {} together spent {} of {}. ", html::name(budget.name),
                        html::text(in_words(spent(budget))), html::text(in_words(budget.limit)));
  return text;
}

std::string project_json(const std::vector<ProjectFile>& files, const std::filesystem::path& ledger) {
  Json json{{"holds", std::ranges::all_of(files, [](const auto& file) { return file.failure.empty(); })},
            {"files", Json::array()}};
  for (const ProjectFile& file : files) {
    Json entry{{"file", file.name},
               {"format", file.format},
               {"failure", file.failure.empty() ? Json() : Json(file.failure)}};
    if (file.failure.empty())
      entry.update(Json::parse(summary_json(file.certificate)));
    else
      entry["private"] = false;
    json["files"].push_back(std::move(entry));
  }
  if (!ledger.empty()) json["ledger"] = Json::parse(exported_ledger_json(ledger));
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Report project_report(const Project& project) {
  std::vector<ProjectFile> files;
  for (const auto& path : project.files) files.push_back(read_project_file(path, project.public_key));
  std::optional<Ledger> ledger;
  if (!project.ledger.empty()) ledger = read_ledger(project.ledger);
  std::vector<html::Section> sections;
  if (ledger) sections.push_back(ledger_section(*ledger));
  if (!files.empty()) sections.push_back(files_section(files));
  const std::vector<std::string> assumed = assumptions_of(files);
  std::string failure;
  for (std::size_t k = 0; k < files.size(); ++k) {
    sections.push_back(section_of(files[k], k + 1));
    if (failure.empty() && !files[k].failure.empty())
      failure = fmt::format("{}: {}", files[k].name, files[k].failure);
  }
  const html::Tone tone = !failure.empty()   ? html::Tone::bad
                          : !assumed.empty() ? html::Tone::conditional
                                             : html::Tone::good;
  return {.page = html::page("Privacy report of a project", project_verdict(files, ledger), tone, sections,
                             "<p>Made by tacit from the files alone, each of which <code>tacit verify</code> "
                             "checks again without the data.</p>\n"),
          .json = project_json(files, project.ledger),
          .failure = failure,
          .assumptions = assumed};
}

}  // namespace tacit::inline v1::service
