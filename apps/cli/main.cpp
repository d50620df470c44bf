
#include <fmt/format.h>

#include "command.hpp"
#include "exit_code.hpp"
#include "tacit/core.hpp"
#include "tacit/version.hpp"

namespace {

// A command is a file in this folder and a line here.
constexpr void (*commands[])(tacit::cli::Command&) = {
    tacit::cli::add_fit,     tacit::cli::add_predict,   tacit::cli::add_evaluate, tacit::cli::add_verify,
    tacit::cli::add_methods, tacit::cli::add_schema,    tacit::cli::add_describe, tacit::cli::add_ledger,
    tacit::cli::add_account, tacit::cli::add_calibrate, tacit::cli::add_audit,    tacit::cli::add_compare,
    tacit::cli::add_report,  tacit::cli::add_plot,      tacit::cli::add_encode,   tacit::cli::add_completion};

// CLI11 would only say that a subcommand is required.
void require_known_command(const tacit::cli::Command& tool, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string names;
  for (const tacit::cli::Command& command : tool.commands()) {
    if (command.name() == argv[1]) return;
    names += (names.empty() ? "" : ", ") + command.name();
  }
  tacit::throw_error<tacit::UsageError>("unknown command \"{}\", expected one of {}", argv[1], names);
}

// An unset shell variable must not switch a ledger, a key or a schema off.
void require_no_empty_value(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string_view argument = argv[k];
    if (argument.empty())
      tacit::throw_error<tacit::UsageError>("argument {} is empty (after \"{}\")", k, argv[k - 1]);
    if (argument.starts_with("--") && argument.ends_with('='))
      tacit::throw_error<tacit::UsageError>("{} has no value", argument.substr(0, argument.size() - 1));
  }
}

int run(int argc, char** argv) {
  tacit::cli::Command tool(
      "tacit", "Models trained under differential privacy, with a certificate that anyone can check.",
      fmt::format("tacit {}", tacit::version));
  tool.require_one_command();
  tool.footer("Example:\n  tacit fit people.csv --schema people.schema.json --epsilon 1 --model model.json");
  for (const auto add : commands) add(tool);
  require_known_command(tool, argc, argv);
  require_no_empty_value(argc, argv);
  return tool.parse(argc, argv).value_or(0);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    tacit::cli::leave_usage_to_first_rank(argc, argv);
    return run(argc, argv);
  } catch (...) {
    return tacit::cli::report_failure();
  }
}
