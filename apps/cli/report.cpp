#include "tacit/service.hpp"

#include <memory>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct ReportFlags {
  std::vector<std::string> files;
  std::string output, key, ledger;
  bool json = false;
};

void run(const ReportFlags& flags) {
  if (!flags.output.empty()) service::require_writable(flags.output);
  std::vector<std::string> inputs = flags.files;
  inputs.insert(inputs.end(), {flags.key, flags.ledger});
  require_no_input("--output", flags.output, inputs);
  require_same_kind("--output", flags.output, page_begins, "page");
  if (flags.files.empty() && flags.ledger.empty())
    throw_error<UsageError>("which files is the report about? Name them, or give --ledger FILE");
  const bool one_model = flags.files.size() == 1 && flags.ledger.empty();
  service::Report report;
  {
    const Working bar("reporting");
    report =
        one_model
            ? service::report(flags.files[0], flags.key)
            : service::project_report({{flags.files.begin(), flags.files.end()}, flags.ledger, flags.key});
  }
  if (!flags.output.empty() || !flags.json) write_results(flags.output, report.page);
  if (flags.json) print(report.json + "\n");
  if (!report.failure.empty())
    throw_error<VerificationError>("{}{}", one_model ? flags.files[0] + ": " : "", report.failure);
  if (flags.output.empty() || flags.json) return;
  std::string said = one_model ? "The promise holds" : "The promise of every file holds";
  said += report.assumptions.empty() ? "." : " if this is true:\n";
  for (const std::string& assumption : report.assumptions) said += "  " + assumption + "\n";
  if (!report.unchecked.empty())
    said = fmt::format(
        "The signature of {} was not checked: anyone who can write a file can keep an old one. Give --key "
        "PUBLIC, the signer's public key.\n{}",
        report.unchecked, said);
  print(fmt::format("{}{}The report is in {}.\n", said, report.assumptions.empty() ? " " : "", flags.output));
}

}  // namespace

void add_report(Command& tool) {
  auto flags = std::make_shared<ReportFlags>();
  Command command = tool.add_command(
      "report", "verify a model and write a page about its promise, for people",
      "tacit report model.json --output report.html\n"
      "  tacit report description.json schema.json model.json evaluation.json --ledger people.ledger "
      "--output project.html");
  command->add_option(
      "FILES", flags->files,
      "a model that `tacit fit` wrote; or several files that tacit wrote about the same people "
      "(descriptions, schemas, models, evaluations), for one page about all of them");
  command->add_option("--ledger", flags->ledger,
                      "the ledger they were charged to, for what was spent in all; a file that was not "
                      "charged to it is named, and the exit code is 1");
  command->add_option("--output", flags->output, "where the HTML page goes; default: standard output");
  command->add_option("--key", flags->key, "check the signature with this Ed25519 public key (PEM)");
  command->add_flag("--json", flags->json,
                    "print what holds, and the curves, as JSON; the page only with --output");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
