#include "tacit/service.hpp"

#include <memory>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct ReportFlags {
  std::string model, output, key;
  bool json = false;
};

void run(const ReportFlags& flags) {
  if (!flags.output.empty()) service::require_writable(flags.output);
  require_no_input("--output", flags.output, {flags.model, flags.key});
  service::Report report;
  {
    const Working bar("reporting");
    report = service::report(flags.model, flags.key);
  }
  if (!flags.output.empty() || !flags.json) write_results(flags.output, report.page);
  if (flags.json) print(report.json + "\n");
  if (!report.failure.empty()) throw_error<VerificationError>("{}: {}", flags.model, report.failure);
  if (flags.output.empty() || flags.json) return;
  std::string said =
      report.assumptions.empty() ? "The promise holds." : "The promise holds if this is true:\n";
  for (const std::string& assumption : report.assumptions) said += "  " + assumption + "\n";
  print(fmt::format("{}{}The report is in {}.\n", said, report.assumptions.empty() ? " " : "", flags.output));
}

}  // namespace

void add_report(Command& tool) {
  auto flags = std::make_shared<ReportFlags>();
  Command command =
      tool.add_command("report", "verify a model and write a page about its promise, for people",
                       "tacit report model.json --output report.html");
  command->add_option("MODEL", flags->model, "a model that `tacit fit` wrote")->required();
  command->add_option("--output", flags->output, "where the HTML page goes; default: standard output");
  command->add_option("--key", flags->key, "check the signature with this Ed25519 public key (PEM)");
  command->add_flag("--json", flags->json,
                    "print what holds, and the curves, as JSON; the page only with --output");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
