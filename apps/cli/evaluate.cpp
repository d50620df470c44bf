#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "command.hpp"
#include "statement_guarantee.hpp"
#include "tacit/core.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct EvaluateFlags {
  ReadingFlags reading;
  std::string model, target, user, epsilon, delta, neighbours, ledger, ledger_name, group, output, sign;
  bool json = false, force = false;
};

void run_privately(const EvaluateFlags& flags, const ReadOptions& reading) {
  service::EvaluateOptions options;
  options.guarantee = statement_guarantee(flags.epsilon, flags.delta);
  if (!flags.neighbours.empty()) options.neighbours = parse_neighbours(flags.neighbours);
  options.ledger = ledger_use(flags.ledger, flags.ledger_name);
  options.group = service::parse_group("--group", flags.group);
  if (!flags.output.empty()) {
    service::require_writable(flags.output);
    require_no_input("--output", flags.output, {flags.model, flags.reading.path, flags.sign});
    require_same_kind("--output", flags.output, json_begins, "evaluation");
    require_new("--output", flags.output, flags.force, "--force");  // it may be what a charge paid for
  }
  if (!flags.sign.empty()) service::require_signing_key(flags.sign);
  service::Evaluated found;
  {
    const Working bar("evaluating");
    found = service::evaluate_file(flags.model, reading, options);
    found.json = service::signed_statement(found.json, flags.sign);
  }
  if (!flags.output.empty()) write_file_atomically(flags.output, found.json);
  print(flags.json ? found.json : found.text);
  for (const std::string& warning : found.warnings) fmt::print(stderr, "Warning: {}.\n", warning);
}

void run(const EvaluateFlags& flags) {
  ReadOptions reading = read_options(flags.reading);
  reading.target = flags.target;
  reading.user = flags.user;
  ledger_use(flags.ledger, flags.ledger_name);  // a name without a ledger is refused either way
  if (!flags.epsilon.empty()) return run_privately(flags, reading);
  for (const auto& [name, text] :
       {std::pair("--delta", &flags.delta), std::pair("--neighbours", &flags.neighbours),
        std::pair("--ledger", &flags.ledger), std::pair("--group", &flags.group),
        std::pair("--user", &flags.user), std::pair("--output", &flags.output),
        std::pair("--sign", &flags.sign)})
    if (!text->empty()) throw_error<UsageError>("{} needs --epsilon: without it nothing is private", name);
  service::Evaluated found;
  {
    const Working bar("evaluating", Working::Plans::told);
    const FittedModel model = service::load_model(flags.model);
    found = service::open_evaluation(model, service::read_for_evaluation(model, reading));
  }
  print(flags.json ? found.json : found.text);
}

}  // namespace

void add_evaluate(Command& tool) {
  auto flags = std::make_shared<EvaluateFlags>();
  Command command = tool.add_command(
      "evaluate", "measure a model on labelled records; private with --epsilon, and without it not",
      "tacit evaluate model.json people_test.csv");
  command->add_option("MODEL", flags->model, "a model that `tacit fit` wrote")->required();
  add_reading_flags(*command, flags->reading);
  command->add_option("--target", flags->target, "the column with the labels; default: the model's");
  command->add_option("--epsilon", flags->epsilon, "the privacy of the whole evaluation, > 0; default: none");
  command->add_option("--delta", flags->delta, "with --epsilon: approximate privacy, between 0 and 1");
  command->add_option("--neighbours", flags->neighbours,
                      "which datasets must look alike: zero_out, replace_one or add_remove; default: the "
                      "ledger's, or zero_out");
  command->add_option(
      "--user", flags->user,
      "with --epsilon: the column that says whose record it is; default: the one that the fit "
      "went by");
  command->add_option("--ledger", flags->ledger,
                      "with --epsilon: charge this ledger before anything is released");
  command->add_option("--ledger-name", flags->ledger_name,
                      "the name to charge; not needed when the ledger has one name only");
  command->add_option(
      "--group", flags->group,
      "COLUMN=VALUE, with --epsilon: judge on the records with this category alone; groups of one "
      "public column cost a ledger their maximum (docs/ledger.md)");
  command->add_option("--sign", flags->sign,
                      "with --epsilon: sign the statement with this Ed25519 private key (PEM)");
  command->add_option("--output", flags->output,
                      "with --epsilon: the statement with its certificate goes here, for `tacit verify`");
  command->add_flag("--force", flags->force, "overwrite the output if it exists");
  command->add_flag("--json", flags->json, "accuracy, log_loss and auc, or rmse and mae, as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
