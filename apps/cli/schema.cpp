#include "tacit/service.hpp"

#include <memory>

#include "command.hpp"
#include "tacit/fit.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct SchemaFlags {
  ReadingFlags reading;
  std::string target, user, output;
  bool json = false;
};

void run(const SchemaFlags& flags) {
  if (!flags.output.empty()) service::require_writable(flags.output);
  require_no_input("--output", flags.output, {flags.reading.path});
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
  command->add_flag("--json", flags->json, "JSON, which a schema is anyway");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
