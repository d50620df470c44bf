#include <memory>

#include "command.hpp"
#include "stopping.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/service.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct EncodeFlags {
  ReadingFlags reading;
  std::string schema, output;
  bool json = false;
};

void run(const EncodeFlags& flags) {
  ReadOptions reading = read_options(flags.reading);
  const std::string schema = read_file(flags.schema);
  reading.schema = parse_schema(schema, flags.schema);
  service::require_writable(flags.output);
  require_no_input("--output", flags.output, {flags.reading.path, flags.schema});
  stop_on_signals();  // so that no half of a large file stays behind
  EncodedFile made;
  {
    const StopScope stop(stop_request());
    const Working bar("encoding");
    made = service::encode(reading, flags.output, schema);
  }
  if (flags.json)
    return print(nlohmann::ordered_json{{"rows", made.rows}, {"bytes", made.bytes}, {"digest", made.digest}});
  print(fmt::format("{} records in {} bytes, {}. They are in {}, which is as sensitive as the table.\n",
                    made.rows, made.bytes, made.digest, flags.output));
}

}  // namespace

void add_encode(Command& tool) {
  auto flags = std::make_shared<EncodeFlags>();
  Command command = tool.add_command(
      "encode", "write a table as a file that is mapped instead of read, for data larger than memory",
      "tacit encode people.csv --schema people.schema.json --output people.tacit");
  add_reading_flags(*command, flags->reading);
  command->add_option("--schema", flags->schema, "what is public of the columns (see `tacit schema`)")
      ->required();
  command->add_option("--output", flags->output, "where the encoded cells go: a name that ends in .tacit")
      ->required();
  command->add_flag("--json", flags->json, "rows, bytes and digest as JSON");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
