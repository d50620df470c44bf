#include <filesystem>
#include <memory>

#include "command.hpp"
#include "statement_guarantee.hpp"
#include "tacit/core.hpp"
#include "tacit/service.hpp"
#include "tacit/statistics.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct DescribeFlags {
  ReadingFlags reading;
  std::string schema, user, epsilon, delta, neighbours, ledger, ledger_name, group, output, statistics,
      quantiles, confidence, range_share, sign;
  std::size_t bins = 20;
  bool json = false, force = false;
};

service::DescribeOptions options_of(const DescribeFlags& flags) {
  service::DescribeOptions options;
  if (flags.epsilon.empty())
    throw_error<UsageError>("a description needs --epsilon, and --delta if approximate privacy is meant");
  options.guarantee = statement_guarantee(flags.epsilon, flags.delta);
  if (!flags.neighbours.empty()) options.neighbours = parse_neighbours(flags.neighbours);
  options.ledger = ledger_use(flags.ledger, flags.ledger_name);
  options.group = service::parse_group("--group", flags.group);
  options.statistics = pieces(flags.statistics);
  for (const std::string& level : pieces(flags.quantiles))
    options.quantiles.push_back(parse_number("--quantiles", level));
  options.bins = static_cast<std::int64_t>(flags.bins);
  options.confidence = parse_number_if_given("--confidence", flags.confidence).value_or(0.95);
  options.range_share = parse_number_if_given("--range-share", flags.range_share);
  if (!flags.schema.empty()) options.schema_release = service::schema_release(flags.schema);
  return options;
}

// What `verify` and a project's page need lies beside the page, unless it is printed.
std::string statement_beside(const DescribeFlags& flags) {
  std::error_code ignored;
  const auto type = std::filesystem::status(flags.output, ignored).type();
  const bool file =
      type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::regular;
  if (flags.output.empty() || flags.json || !file) return "";
  return std::filesystem::path(flags.output).replace_extension(".json").string();
}

void require_outputs(const DescribeFlags& flags, const std::string& statement) {
  for (const std::string& output : {flags.output, statement}) {
    if (output.empty()) continue;
    service::require_writable(output);
    require_no_input("--output", output, {flags.reading.path, flags.schema, flags.sign});
  }
  if (!statement.empty() && statement == flags.output)
    throw_error<UsageError>("--output {} is for the page; for the statement alone, print it with --json",
                            statement);
  require_same_kind("--output", flags.output, page_begins, "page");
  if (!statement.empty())
    require_new("the statement goes beside the page, and", statement, flags.force, "--force");
}

void run(const DescribeFlags& flags) {
  const service::DescribeOptions options = options_of(flags);
  ReadOptions reading = read_options(flags.reading);
  reading.user = flags.user;
  if (!flags.schema.empty()) reading.schema = service::load_schema(flags.schema);
  const std::string statement = statement_beside(flags);
  require_outputs(flags, statement);
  if (!flags.sign.empty()) service::require_signing_key(flags.sign);
  service::Described found;
  {
    const Working bar("describing", Working::Plans::told);
    found = service::describe_file(reading, options);
    found.json = service::signed_statement(found.json, flags.sign);
  }
  if (!statement.empty()) write_file_atomically(statement, found.json);
  if (!flags.output.empty()) write_file_atomically(flags.output, found.page);
  print(flags.json ? found.json : found.text);
  if (!statement.empty())
    print(
        fmt::format("The page is in {}, the statement for `tacit verify` in {}.\n", flags.output, statement));
}

}  // namespace

void add_describe(Command& tool) {
  auto flags = std::make_shared<DescribeFlags>();
  Command command = tool.add_command(
      "describe", "counts, means, quantiles and histograms of a table under differential privacy",
      "tacit describe people.csv --schema people.schema.json --epsilon 0.1 --output people.html");
  add_reading_flags(*command, flags->reading);
  command->add_option(
      "--schema", flags->schema,
      "what is public of the columns (see `tacit schema`); default: a share of epsilon finds it");
  command->add_option("--range-share", flags->range_share,
                      "without --schema: the share of epsilon that finds one, between 0 and 1; default: 0.5");
  command->add_option("--epsilon", flags->epsilon, "the privacy of the whole description, > 0");
  command->add_option("--delta", flags->delta, "approximate privacy, between 0 and 1");
  command->add_option("--neighbours", flags->neighbours,
                      "which datasets must look alike: zero_out, replace_one or add_remove; default: the "
                      "ledger's, or zero_out");
  command->add_option("--user", flags->user, "the column that says whose record it is");
  command->add_option("--statistics", flags->statistics,
                      "some of mean,quantiles,histogram,categories; default: all");
  command->add_option("--quantiles", flags->quantiles, "levels; default: 0.05,0.25,0.5,0.75,0.95");
  command->add_option("--bins", flags->bins, "cells of a histogram, 2 to 1000")->transform(whole_number);
  command->add_option("--confidence", flags->confidence, "of each interval; default: 0.95");
  command->add_option("--ledger", flags->ledger, "charge this ledger before anything is released");
  command->add_option("--ledger-name", flags->ledger_name,
                      "the name to charge; not needed when the ledger has one name only");
  command->add_option("--group", flags->group,
                      "COLUMN=VALUE: describe the records with this category alone; groups of one public "
                      "column cost a ledger their maximum (docs/ledger.md)");
  command->add_option("--sign", flags->sign, "sign the statement with this Ed25519 private key (PEM)");
  command->add_option("--output", flags->output,
                      "a page with plots goes here, and the statement beside it, as .json (unless --json "
                      "prints it)");
  command->add_flag("--force", flags->force, "overwrite the statement beside the page if it exists");
  command->add_flag("--json", flags->json, "the statement with its certificate, for `tacit verify`");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
