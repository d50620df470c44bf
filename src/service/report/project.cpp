#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/utf8.hpp"
#include "model/certificate_json.hpp"
#include "model/json.hpp"
#include "model/schema_cost.hpp"
#include "model/statement.hpp"
#include "privacy/accounting/conversions.hpp"
#include "privacy/assumptions.hpp"
#include "service/report/charges.hpp"
#include "service/report/file_bodies.hpp"
#include "service/report/report_sections.hpp"
#include "service/statement/describe_page.hpp"
#include "service/statement/shown_numbers.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/ledger.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"
#include "tacit/verify.hpp"

// One page for a project: its budget, and everything that was released of the same people.

namespace tacit::inline v1::service {

namespace {

struct ProjectFile {
  std::string name;
  Json json;
  std::string format = {}, failure = {};  // failure: why its promise does not hold
  std::string digest = {};
  Charged charged = {};  // to the page's ledger, where there is one
  Certificate certificate = {};
  SignatureState signature = SignatureState::absent;  // of one that holds
  std::optional<FittedModel> model = {};
};

bool is_model(const ProjectFile& file) { return file.format == "tacit-model"; }

// One that may be looked at: it holds, or the file is at least what its digest says.
bool has_certificate(const ProjectFile& file) { return file.failure.empty() || file.model.has_value(); }

ProjectFile read_project_file(const std::filesystem::path& path, const std::filesystem::path& key) {
  ProjectFile file{.name = path.filename().string(), .json = parse_json(read_file(path), path.string())};
  file.format = is_statement(file.json) ? text(file.json, "format") : "tacit-model";
  if (file.json.contains("digest") && file.json["digest"].is_string())
    file.digest = text(file.json, "digest");
  if (is_model(file)) file.model = model_if_whole(path);
  if (file.model) file.certificate = file.model->certificate;
  try {
    VerifiedFile verified = verify_file(path, key);
    file.certificate = std::move(verified.certificate);
    file.signature = verified.signature;
  } catch (const VerificationError& error) {
    file.failure = error.what();
    if (const std::string prefix = path.string() + ": "; file.failure.starts_with(prefix))
      file.failure.erase(0, prefix.size());
  }
  return file;
}

bool is_unchecked(const ProjectFile& file) {
  return file.failure.empty() && file.signature == SignatureState::present_unchecked;
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

std::string rounding(const Guarantee& spent) {
  const std::string why = why_rounded(spent);
  return why.empty() ? "" : "<p>" + why + "</p>\n";
}

// First of all, for people: what all releases together tell.
std::optional<html::Section> total_section(const Ledger& ledger) {
  std::string body;
  for (const LedgerBudget& budget : ledger.budgets)
    if (!budget.charges.empty())
      body += attacker_of_total(budget.name, spent(budget), ledger.terms.unit, ledger.terms.neighbours);
  if (body.empty()) return std::nullopt;
  return html::Section{"attacker", "What an attacker could find out from all of it", body};
}

// A release for absent records also holds for replaced ones, as two such changes.
std::string replaced_words(const Guarantee& spent, const LedgerTerms& terms) {
  if (terms.neighbours == Neighbours::replace_one || std::holds_alternative<Renyi>(spent)) return "";
  return fmt::format("<p>When {}: {}.</p>\n",
                     terms.unit == Unit::item ? "one record is replaced by any other"
                                              : "all records of one person are replaced by any others",
                     html::text(promise_of(to_replace_one(spent, terms.neighbours))));
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
                          html::text(describe(spent(budget), ledger.terms.unit, ledger.terms.neighbours))) +
              replaced_words(spent(budget), ledger.terms) + rounding(spent(budget));
  }
  if (const std::string assumed = assumed_by(ledger); !assumed.empty())
    body += fmt::format("<p><strong>Assumed:</strong> {}.</p>\n", html::text(assumed));
  return {"budget", "What was spent", body};
}

std::string of_a_found_schema() {
  Certificate stated;
  assume_public(ReadOff::found_schema, stated);
  return stated.assumptions.front();
}

// The schema that a file was made with; none where it has none.
std::optional<Schema> schema_of(const ProjectFile& file) {
  if (file.model) return file.model->schema;
  if (file.format == schema_format) return parse_schema(file.json.dump(), file.name);
  if (file.json.contains("schema")) return parse_schema(file.json["schema"].dump(), file.name);
  return std::nullopt;
}

// Whether `used` says of its columns what `found` does, but for those that it leaves out.
bool is_made_with(const Schema& used, Schema found) {
  for (SchemaColumn& column : found.columns) {
    const auto own = std::ranges::find(used.columns, column.name, &SchemaColumn::name);
    if (own != used.columns.end() && std::holds_alternative<IgnoredColumn>(own->kind))
      column.kind = IgnoredColumn{};
  }
  return schema_to_json(schema_to_describe(found)) == schema_to_json(schema_to_describe(used));
}

// The file among these that has the schema that this one was made with, at the same cost, where the ledger
// counts that; nullptr where there is none. A fit settles how columns are encoded; what was found of them is
// the same.
const ProjectFile* counted_schema(const ProjectFile& file, const std::vector<ProjectFile>& files) {
  const std::optional<SchemaCost> cost = stated_schema_cost(file.certificate);
  const std::optional<Schema> used = schema_of(file);
  if (!cost || !used || cost->edited) return nullptr;
  const auto group = [](const Facts& facts) { return facts.has("group_of") ? facts.text("group_of") : ""; };
  const auto counted = std::ranges::find_if(files, [&](const ProjectFile& other) {
    return other.format == schema_format && other.failure.empty() && other.charged.why_not.empty() &&
           other.certificate.unit == cost->unit && other.certificate.neighbours == cost->neighbours &&
           group(other.certificate.assumed_public) == group(cost->assumed) &&
           tacit::to_json(other.certificate.guarantee) == tacit::to_json(cost->guarantee) &&
           is_made_with(*used, *schema_of(other));
  });
  return counted == files.end() ? nullptr : &*counted;
}

// A file says what its schema holds and cost, not which search found it: another one may have found the same.
std::string of_a_counted_schema(const ProjectFile& file, const ProjectFile& schema) {
  return fmt::format(
      "{} was made with the schema in {}, whose cost the ledger counts, and not with an equal one of another "
      "search",
      visible(file.name), visible(schema.name));
}

// Of all files and the ledger, each once. A schema's cost does not come on top where the ledger counts it.
std::vector<std::string> assumptions_of(const std::vector<ProjectFile>& files,
                                        const std::optional<Ledger>& ledger) {
  std::vector<std::string> assumed;
  if (ledger) assumed.push_back(assumed_by(*ledger));
  std::erase(assumed, "");
  for (const ProjectFile& file : files)
    for (std::string assumption : told_assumptions(file.certificate)) {
      if (ledger && assumption == of_a_found_schema())
        if (const ProjectFile* schema = counted_schema(file, files))
          assumption = of_a_counted_schema(file, *schema);
      if (std::ranges::find(assumed, assumption) == assumed.end()) assumed.push_back(assumption);
    }
  return assumed;
}

html::Section files_section(const std::vector<ProjectFile>& files, const std::optional<Ledger>& ledger,
                            bool with_key) {
  const bool any_signed = with_key || std::ranges::any_of(files, is_unchecked);
  html::Table table{.caption = "Every file, checked again for this page",
                    .headers = {"File", "What", "Promise", "Holds"},
                    .rows = {},
                    .stacks = true};
  if (any_signed) table.headers.emplace_back("Signature");
  if (ledger) table.headers.emplace_back("Charged to");
  for (const ProjectFile& file : files) {
    table.rows.push_back({html::name(file.name), std::string(kind_of(file)),
                          file.failure.empty() ? html::text(promise_of(file.certificate.guarantee)) : "none",
                          file.failure.empty() ? "yes" : "no: " + html::text(file.failure)});
    if (any_signed)
      table.rows.back().emplace_back(!file.failure.empty() ? "nothing is promised" : name(file.signature));
    if (ledger)
      table.rows.back().push_back(file.charged.why_not.empty()
                                      ? html::name(file.charged.name)
                                      : (has_certificate(file) ? "not here: " : "not looked up: ") +
                                            html::text(file.charged.why_not));
  }
  std::string body = html::table(table, "Files of this project");
  const std::vector<std::string> assumed = assumptions_of(files, ledger);
  if (!assumed.empty()) {
    body += "<p>Their promises hold if all of this is true:</p>\n<ul>\n";
    for (const std::string& assumption : assumed) body += "<li>" + html::name(assumption) + "</li>\n";
    body += "</ul>\n";
  }
  return {"files", "What was released", body};
}

// Which file an evaluation is about; nullptr where none of these is the model.
const ProjectFile* model_of(const ProjectFile& evaluation, const std::vector<ProjectFile>& files) {
  const Facts& facts = evaluation.certificate.assumed_public;
  if (!facts.has("model_digest")) return nullptr;
  const auto model = std::ranges::find(files, facts.text("model_digest"), &ProjectFile::digest);
  return model == files.end() ? nullptr : &*model;
}
// Its name, or nothing.
std::string judged_by(const ProjectFile& evaluation, const std::vector<ProjectFile>& files) {
  const ProjectFile* model = model_of(evaluation, files);
  return model ? model->name : "";
}

// To which range an evaluation of numbers cut them: the model's schema has its ends, the evaluation its
// width.
std::string range_in_words(const ProjectFile& evaluation, const std::vector<ProjectFile>& files) {
  const ProjectFile* file = model_of(evaluation, files);
  const auto schema = file && file->model ? file->model->schema : std::nullopt;
  if (schema && schema->target && schema->target->min && schema->target->max)
    return fmt::format("the schema's range, {} to {}", shown_number(*schema->target->min),
                       shown_number(*schema->target->max));
  return fmt::format("the schema's range, which is {} wide",
                     shown_number(evaluation.certificate.options.number("range")));
}

html::Section section_of(const ProjectFile& file, std::size_t number, const std::vector<ProjectFile>& files) {
  std::string body = fmt::format("<p>{}</p>\n", html::text(describe(file.certificate)));
  if (!file.failure.empty())
    body = fmt::format("<p><strong>Nothing is promised about this file:</strong> {}.</p>\n",
                       html::text(file.failure));
  if (file.model)
    body += model_body(*file.model);
  else if (!file.failure.empty())
    body += "<p>Nothing of it is shown.</p>\n";
  else if (file.format == evaluation_format)
    body +=
        (judged_by(file, files).empty()
             ? "<p>It judges a model that is not among these files.</p>\n"
             : fmt::format("<p>It judges {}.</p>\n", html::name(judged_by(file, files)))) +
        evaluation_body(file.json) +
        fmt::format("<p>{}</p>\n", html::text(evaluation_intervals(file.json, range_in_words(file, files))));
  else if (file.format == schema_format)
    body += schema_body(file.json);
  else
    body += description_body(file.json.dump());
  return {fmt::format("file-{}", number), fmt::format("{}: {}", kind_of(file), visible(file.name)), body};
}

// Names of the files for which it is so, with commas between.
template <class Which>
std::string names_of(const std::vector<ProjectFile>& files, Which which) {
  std::string names;
  for (const ProjectFile& file : files)
    if (which(file)) names += (names.empty() ? "" : ", ") + html::name(file.name);
  return names;
}

bool is_uncharged(const ProjectFile& file) { return !file.charged.why_not.empty(); }

// Failures first; then what all of it together costs a person.
std::string project_verdict(const std::vector<ProjectFile>& files, const std::optional<Ledger>& ledger,
                            bool assumes) {
  const std::string failed = names_of(files, [](const ProjectFile& file) { return !file.failure.empty(); });
  if (!failed.empty()) return "<strong>Nothing is promised about " + failed + ".</strong>";
  std::string text = assumes
                         ? "<strong>The promise of every file holds, if what is <a href=\"#files\">assumed "
                           "below</a> is true.</strong> "
                         : "<strong>The promise of every file holds.</strong> ";
  if (files.empty()) text.clear();
  std::string unchecked = names_of(files, is_unchecked);
  if (!unchecked.empty())
    unchecked = unchecked_html(unchecked, std::ranges::find_if(files, is_unchecked)->name);
  if (!ledger)
    return unchecked + text +
           "What they cost together is for a ledger to say: releases of the same records add up.";
  if (const std::string names = names_of(files, is_uncharged); !names.empty())
    text = fmt::format(
        "<strong>Not charged here: {}.</strong> What it cost comes on top of what this ledger counts. "
        "By itself, the promise of every file holds{}. ",
        names, assumes ? ", if what is <a href=\"#files\">assumed below</a> is true" : "");
  for (const LedgerBudget& budget : ledger->budgets)
    text += fmt::format("All releases charged to {} together spent {} of {}. ", html::name(budget.name),
                        html::text(in_words(spent(budget))), html::text(in_words(budget.limit)));
  const std::string strangers = names_of(files, [&](const ProjectFile& file) {
    return file.format == evaluation_format && judged_by(file, files).empty();
  });
  if (!strangers.empty()) text += fmt::format("The model that {} judges is not on this page.", strangers);
  return unchecked + text;
}

std::string project_json(const std::vector<ProjectFile>& files, const std::filesystem::path& ledger) {
  Json json{{"holds", std::ranges::all_of(files, [](const auto& file) { return file.failure.empty(); })}};
  if (!ledger.empty()) json["all_charged"] = std::ranges::none_of(files, is_uncharged);
  json["files"] = Json::array();
  for (const ProjectFile& file : files) {
    Json entry{{"file", file.name},
               {"format", file.format},
               {"failure", file.failure.empty() ? Json() : Json(file.failure)}};
    if (file.failure.empty()) {
      entry["signature"] = name(file.signature);
      entry.update(Json::parse(summary_json(file.certificate)));
    } else
      entry["private"] = false;
    if (!ledger.empty()) entry["charged_to"] = is_uncharged(file) ? Json() : Json(file.charged.name);
    if (file.format == evaluation_format)
      entry["judges"] = judged_by(file, files).empty() ? Json() : Json(judged_by(file, files));
    json["files"].push_back(std::move(entry));
  }
  if (!ledger.empty()) json["ledger"] = Json::parse(exported_ledger_json(ledger));
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

namespace {

void look_up_charges(const std::optional<Ledger>& ledger, std::vector<ProjectFile>& files) {
  if (!ledger) return;
  std::vector<Certificate> certificates;
  std::vector<std::string> digests;
  for (const ProjectFile& file : files) {
    certificates.push_back(file.certificate);
    digests.push_back(file.digest);
  }
  const std::vector<Charged> charged = charged_to(*ledger, certificates, digests);
  for (std::size_t k = 0; k < files.size(); ++k) {
    files[k].charged = charged[k];
    if (!has_certificate(files[k])) files[k].charged.why_not = "nothing is promised about the file";
  }
}

// The first file whose promise does not hold; else the first that the ledger does not count.
std::string failure_of(const std::vector<ProjectFile>& files) {
  for (const ProjectFile& file : files)
    if (!file.failure.empty()) return fmt::format("{}: {}", file.name, file.failure);
  for (const ProjectFile& file : files)
    if (is_uncharged(file))
      return fmt::format("{}: not charged here: {}{}", file.name, file.charged.why_not,
                         file.charged.name.empty() ? "; give the ledger that it was charged to" : "");
  return "";
}

}  // namespace

Report project_report(const Project& project) {
  std::vector<ProjectFile> files;
  for (const auto& path : project.files) files.push_back(read_project_file(path, project.public_key));
  std::optional<Ledger> ledger;
  if (!project.ledger.empty()) ledger = read_ledger(project.ledger);
  look_up_charges(ledger, files);
  std::vector<html::Section> sections;
  if (ledger) {
    if (auto total = total_section(*ledger)) sections.push_back(*std::move(total));
    sections.push_back(ledger_section(*ledger));
  }
  const std::vector<std::string> assumed = assumptions_of(files, ledger);
  if (!files.empty()) sections.push_back(files_section(files, ledger, !project.public_key.empty()));
  // How good a model is comes before its many numbers.
  for (const bool scores : {true, false})
    for (std::size_t k = 0; k < files.size(); ++k)
      if ((files[k].format == evaluation_format) == scores)
        sections.push_back(section_of(files[k], k + 1, files));
  const std::string failure = failure_of(files);
  std::string unchecked;
  for (const ProjectFile& file : files)
    if (is_unchecked(file)) unchecked += (unchecked.empty() ? "" : ", ") + visible(file.name);
  const bool rests = !assumed.empty() || !unchecked.empty();
  const html::Tone tone = !failure.empty() ? html::Tone::bad
                          : rests          ? html::Tone::conditional
                                           : html::Tone::good;
  return {.page = html::page("Privacy report of a project", project_verdict(files, ledger, !assumed.empty()),
                             tone, sections,
                             "<p>Made by tacit from the files alone, each of which <code>tacit verify</code> "
                             "checks again without the data.</p>\n"),
          .json = project_json(files, project.ledger),
          .failure = failure,
          .assumptions = assumed,
          .unchecked = unchecked};
}

}  // namespace tacit::inline v1::service
