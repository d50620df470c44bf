#include "tacit/service.hpp"
#include "tacit/statistics.hpp"

#include <filesystem>
#include <memory>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct SchemaFlags {
  ReadingFlags reading;
  std::string target, user, output, check;
  bool json = false, force = false;
};

// An edited schema is work that a second draft must not undo.
void require_new(const std::string& path, bool force) {
  std::error_code ignored;
  if (!force && std::filesystem::is_regular_file(path, ignored))
    throw_error<UsageError>("--output {} exists; --force overwrites it", path);
}

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

void run(const SchemaFlags& flags) {
  if (!flags.check.empty()) {
    if (!flags.output.empty() || !flags.target.empty() || !flags.user.empty())
      throw_error<UsageError>("--check compares a schema with data; leave out --output, --target and --user");
    return check(flags);
  }
  if (!flags.output.empty()) service::require_writable(flags.output);
  require_no_input("--output", flags.output, {flags.reading.path});
  require_new(flags.output, flags.force);
  DraftOptions options;
  options.file = read_options(flags.reading);
  options.file.target = flags.target;
  options.file.user = flags.user;
  std::string text;
  {
    const Working bar("reading");
    text = service::draft_schema_text(options);
  }
  if (!text.ends_with('\n')) text += '\n';
  write_results(flags.output, text);
}

}  // namespace

void add_schema(Command& tool) {
  auto flags = std::make_shared<SchemaFlags>();
  Command command = tool.add_command(
      "schema", "draft a schema from a data file, to be edited: its bounds and categories are not private",
      "tacit schema people.csv --target income --output people.schema.json");
  add_reading_flags(*command, flags->reading);
  command->add_option("--target", flags->target, "the column to predict, by name or number");
  command->add_option("--user", flags->user, "the column that says whose record it is");
  command->add_option("--output", flags->output, "where the schema goes; default: standard output");
  command->add_flag("--force", flags->force, "overwrite the output if it exists");
  command->add_option(
      "--check", flags->check,
      "compare this schema with the data instead: which cells it does not cover (not private)");
  command->add_flag("--json", flags->json, "JSON, which a schema is anyway");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
