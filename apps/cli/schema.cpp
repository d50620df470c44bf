#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

#include <cstdio>
#include <memory>

#include "command.hpp"
#include "statement_guarantee.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct SchemaFlags {
  ReadingFlags reading;
  std::string target, user, output, check, epsilon, delta, neighbours, ledger, ledger_name, group, classes,
      sign;
  bool json = false, force = false;
};

void check(const SchemaFlags& flags) {
  ReadOptions reading = read_options(flags.reading);
  reading.schema = service::load_schema(flags.check);
  service::SchemaCheck found;
  {
    const Working bar("reading");
    found = service::check_schema(reading);
  }
  print(flags.json ? found.json : found.text);
}

service::SchemaOptions options_of(const SchemaFlags& flags) {
  service::SchemaOptions options;
  options.guarantee = statement_guarantee(flags.epsilon, flags.delta);
  if (!flags.neighbours.empty()) options.neighbours = parse_neighbours(flags.neighbours);
  options.ledger = ledger_use(flags.ledger, flags.ledger_name);
  options.group = service::parse_group("--group", flags.group);
  options.classes = pieces(flags.classes);
  return options;
}

// The schema goes to --output, and what was found of it to people; without --output, the schema to standard
// output.
void find_privately(const SchemaFlags& flags) {
  const service::SchemaOptions options = options_of(flags);
  ReadOptions reading = read_options(flags.reading);
  reading.target = flags.target;
  reading.user = flags.user;
  // Whether the target is text is for the records to say, so it is said of any, and before they are paid for.
  if (!flags.target.empty() && flags.classes.empty() && flags.delta.empty())
    std::fputs(
        "Warning: without --delta the classes of a target that is text are not found: if it is, stop and "
        "give "
        "--delta or --classes A,B.\n",
        stderr);
  if (!flags.sign.empty()) service::require_signing_key(flags.sign);
  service::PrivateSchema found;
  {
    const Working bar("reading", Working::Plans::told);
    found = service::private_schema_file(reading, options);
    found.json = service::signed_statement(found.json, flags.sign);
  }
  write_results(flags.output, found.json);
  if (!flags.output.empty()) print(flags.json ? found.json : found.text);
}

void require_privacy(const SchemaFlags& flags) {
  for (const auto& [name, given] :
       {std::pair("--delta", !flags.delta.empty()), std::pair("--neighbours", !flags.neighbours.empty()),
        std::pair("--ledger", !flags.ledger.empty()), std::pair("--ledger-name", !flags.ledger_name.empty()),
        std::pair("--group", !flags.group.empty()), std::pair("--classes", !flags.classes.empty()),
        std::pair("--sign", !flags.sign.empty())})
    if (given) throw_error<UsageError>("{} needs --epsilon: without it nothing is private", name);
}

void run(const SchemaFlags& flags) {
  if (flags.epsilon.empty()) require_privacy(flags);
  if (!flags.check.empty()) {
    if (!flags.output.empty() || !flags.target.empty() || !flags.user.empty() || !flags.epsilon.empty())
      throw_error<UsageError>(
          "--check compares a schema with data; leave out --output, --target, --user and --epsilon");
    return check(flags);
  }
  if (!flags.output.empty()) service::require_writable(flags.output);
  require_no_input("--output", flags.output, {flags.reading.path, flags.sign});
  require_new("--output", flags.output, flags.force,
              "--force");  // an edited schema is work that a draft must not undo
  if (!flags.epsilon.empty()) return find_privately(flags);
  DraftOptions options;
  options.file = read_options(flags.reading);
  options.file.target = flags.target;
  options.file.user = flags.user;
  std::string text;
  {
    const Working bar("reading", Working::Plans::told);
    text = service::draft_schema_text(options);
  }
  if (!text.ends_with('\n')) text += '\n';
  write_results(flags.output, text);
}

}  // namespace

void add_schema(Command& tool) {
  auto flags = std::make_shared<SchemaFlags>();
  Command command = tool.add_command(
      "schema",
      "find a schema privately with --epsilon; without it draft one, which is not private, to be edited",
      "tacit schema people.csv --target income --epsilon 0.2 --delta 1e-6 --output people.schema.json");
  add_reading_flags(*command, flags->reading);
  command->add_option("--target", flags->target, "the column to predict, by name or number");
  command->add_option("--user", flags->user, "the column that says whose record it is");
  command->add_option("--epsilon", flags->epsilon,
                      "the privacy of the whole schema, > 0; default: none, a draft as the data is");
  command->add_option("--delta", flags->delta,
                      "with --epsilon: approximate privacy, between 0 and 1; finds categories, too");
  command->add_option("--neighbours", flags->neighbours,
                      "which datasets must look alike: zero_out, replace_one or add_remove; default: the "
                      "ledger's, or zero_out");
  command->add_option("--classes", flags->classes,
                      "with --epsilon: the target's classes, where they are public, with commas between");
  command->add_option("--ledger", flags->ledger,
                      "with --epsilon: charge this ledger before anything is released");
  command->add_option("--ledger-name", flags->ledger_name,
                      "the name to charge; not needed when the ledger has one name only");
  command->add_option(
      "--group", flags->group,
      "COLUMN=VALUE, with --epsilon: look at the records with this value alone; groups of one "
      "public column cost a ledger their maximum (docs/ledger.md)");
  command->add_option("--sign", flags->sign,
                      "with --epsilon: sign the schema with this Ed25519 private key (PEM)");
  command->add_option("--output", flags->output, "where the schema goes; default: standard output");
  command->add_flag("--force", flags->force, "overwrite the output if it exists");
  command->add_option(
      "--check", flags->check,
      "compare this schema with the data instead: which cells it does not cover (not private)");
  command->add_flag("--json", flags->json, "JSON, which a schema is anyway");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
