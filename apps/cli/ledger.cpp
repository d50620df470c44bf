#include "tacit/fit.hpp"

#include <memory>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/ledger.hpp"
#include "tacit/service.hpp"

namespace tacit::cli {

namespace {

struct LedgerFlags {
  std::string path, name, limit, accountant = "pure", unit = "item", neighbours, output;
  std::vector<std::string> limits;
  bool json = false;
};

void report(const LedgerFlags& flags) {
  print(flags.json ? service::shown_ledger_json(flags.path) + "\n" : service::shown_ledger_text(flags.path));
}

void create(const LedgerFlags& flags) {
  const Unit unit = parse_unit(flags.unit);
  const LedgerTerms terms{
      .accountant = flags.accountant,
      .unit = unit,
      .neighbours = flags.neighbours.empty() ? usual_neighbours : parse_neighbours(flags.neighbours)};
  std::vector<LedgerLimit> limits;
  for (const std::string& text : flags.limits)
    limits.push_back(service::parse_named_limit(terms.accountant, text));
  create_ledger(flags.path, terms, limits);
  report(flags);
}

void add(const LedgerFlags& flags) {
  const std::string accountant = read_ledger_terms(flags.path).accountant;  // which is never changed
  add_limit(flags.path, {flags.name, service::parse_limit(accountant, flags.limit)});
  report(flags);
}

void add_common(Command& command, LedgerFlags& flags) {
  command.add_option("FILE", flags.path, "the ledger")->required();
}

void add_create(Command& ledger) {
  auto flags = std::make_shared<LedgerFlags>();
  Command command =
      ledger.add_command("create", "make a new ledger", "tacit ledger create people.ledger --limit people=3");
  add_common(*command, *flags);
  command
      ->add_option(
          "--limit", flags->limits,
          "NAME=LIMIT, once for each name; the limit is epsilon (pure), mu or epsilon,delta (gaussian), "
          "rho or epsilon,delta (zcdp), order:epsilon,... (renyi), epsilon,delta (approx)")
      ->required()
      ->one_at_a_time();
  command->add_option("--accountant", flags->accountant,
                      "what is added up: pure (the default), gaussian, zcdp, renyi or approx");
  command->add_option("--unit", flags->unit, "whose data is protected: item (the default) or user");
  command->add_option("--neighbours", flags->neighbours,
                      "which datasets must look alike: zero_out (the default), replace_one or add_remove");
  command->add_flag("--json", flags->json, "print the new ledger as JSON");
  command->callback([flags] { create(*flags); });
}

void add_show(Command& ledger) {
  auto flags = std::make_shared<LedgerFlags>();
  Command command = ledger.add_command("show", "what was spent, what is left, and every charge",
                                       "tacit ledger show people.ledger");
  add_common(*command, *flags);
  command->add_flag("--json", flags->json, "the same as JSON");
  command->callback([flags] { report(*flags); });
}

void write_export(const LedgerFlags& flags) {
  if (!flags.output.empty()) service::require_writable(flags.output);
  require_same_kind("--output", flags.output, "{\n  \"format\": \"tacit-ledger-export\"",
                    "export of a ledger");
  const std::string text = service::exported_ledger_json(flags.path) + "\n";
  if (flags.output.empty())
    print(text);
  else
    write_file_atomically(flags.output, text);
}

void add_export(Command& ledger) {
  auto flags = std::make_shared<LedgerFlags>();
  Command command = ledger.add_command("export", "every limit and charge as JSON, for auditors",
                                       "tacit ledger export people.ledger --output people.ledger.json");
  add_common(*command, *flags);
  command->add_option("--output", flags->output, "where to write it, unless to standard output");
  command->callback([flags] { write_export(*flags); });
}

void add_add(Command& ledger) {
  auto flags = std::make_shared<LedgerFlags>();
  Command command = ledger.add_command("add", "give a further name a limit of its own",
                                       "tacit ledger add people.ledger households --limit 1");
  add_common(*command, *flags);
  command->add_option("NAME", flags->name, "the new name")->required();
  command->add_option("--limit", flags->limit, "its limit, in the ledger's accountant")->required();
  command->add_flag("--json", flags->json, "print the ledger as JSON");
  command->callback([flags] { add(*flags); });
}

void upgrade(const std::string& path) {
  const bool ledger = is_ledger(path);
  const bool changed = ledger ? upgrade_ledger(path) : service::upgrade_model(path);
  print(fmt::format("{}: the {} has format 2 {}.\n", path, ledger ? "ledger" : "model",
                    changed ? "now, with all that was in it" : "already; nothing was changed"));
}

// A command of its own: it is for files of earlier versions, whatever they hold.
void add_upgrade(Command& tool) {
  auto flags = std::make_shared<LedgerFlags>();
  Command command =
      tool.add_command("upgrade", "bring a ledger or a model of an earlier version to the current format",
                       "tacit upgrade people.ledger");
  command->add_option("FILE", flags->path, "the ledger, under the name that fits have used, or the model")
      ->required();
  command->callback([flags] { upgrade(flags->path); });
}

}  // namespace

void add_ledger(Command& tool) {
  Command ledger =
      tool.add_command("ledger", "keep what all releases together may spend on a dataset",
                       "tacit ledger create people.ledger --limit people=3\n"
                       "  tacit fit people.csv --target income --epsilon 1 --ledger people.ledger");
  ledger->require_one_command();
  add_create(*ledger);
  add_show(*ledger);
  add_add(*ledger);
  add_export(*ledger);
  add_upgrade(tool);
}

}  // namespace tacit::cli
