#include "command.hpp"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

#include "exit_code.hpp"
#include "status_line.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/service.hpp"

namespace tacit::cli {

void add_reading_flags(Command& command, ReadingFlags& flags) {
  const std::string group = "Reading";
  command
      .add_option("DATA", flags.path,
                  "the data: CSV, LIBSVM or IDX, possibly gzipped; - for standard input; Parquet; SQLite or "
                  "postgresql://... with --query; what `tacit encode` made")
      ->required();
  command.add_option("--query", flags.query, "the select whose rows are the records (SQLite, PostgreSQL)")
      ->group(group);
  command.add_option("--format", flags.format, "auto, csv, libsvm, idx, npy, sqlite, parquet or tacit")
      ->group(group);
  command
      .add_option("--separator", flags.separator,
                  "between cells: , ; | : tab or space; default: as the header has it, or for .tsv tab")
      ->group(group);
  command
      .add_option("--decimal", flags.decimal,
                  "before the fraction of a number: . or ,; default: the schema's, or .")
      ->group(group);
  Option header =
      command.add_flag("--header", flags.header, "the first line names the columns")->group(group);
  command.add_flag("--no-header", flags.no_header, "the first line is data; columns are 0, 1, ...")
      ->group(group)
      ->excludes(header);
  command.add_option("--skip-lines", flags.skip_lines, "lines at the top that are not part of the table")
      ->transform(whole_number)
      ->group(group);
  command.add_option("--columns", flags.columns, "number of features of a LIBSVM file")
      ->transform(whole_number)
      ->group(group);
  command.add_option("--labels", flags.labels, "the labels of an IDX file")->group(group);
  command
      .add_option("--users", flags.users, "the file beside an IDX or NumPy file that says whose record it is")
      ->group(group);
  command.add_option("--threads", flags.threads, "number of threads; 0: one per core")
      ->transform(whole_number);
}

namespace {

char parse_separator(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  if (text.size() == 1) return text[0];
  throw_error<UsageError>("--separator is \"{}\", expected one of , ; | : tab space", text);
}

char parse_decimal(const std::string& text) {
  if (text == "." || text == ",") return text[0];
  throw_error<UsageError>("--decimal is \"{}\", expected . or ,", text);
}

// In the words of the tool, where the name does not tell it.
void require_format(const ReadOptions& options) {
  try {
    format_of(options);
  } catch (const UsageError&) {
    throw_error<UsageError>(
        "{}: the file name does not say the format; give --format csv, libsvm, idx, npy, sqlite, parquet or "
        "tacit",
        source_name(options.path));
  } catch (const Error&) {  // what else is wrong with it is told when it is read
  }
}

}  // namespace

ReadOptions read_options(const ReadingFlags& flags) {
  ReadOptions options;
  options.path = flags.path;
  options.format = parse_format(flags.format);
  if (!flags.separator.empty()) options.separator = parse_separator(flags.separator);
  if (flags.header) options.header = true;
  if (flags.no_header) options.header = false;
  options.skip_lines = flags.skip_lines;
  options.query = flags.query;
  require_format(options);
  if (!flags.decimal.empty()) options.decimal = parse_decimal(flags.decimal);
  if (flags.columns != 0 && format_of(options) != Format::libsvm)
    throw_error<UsageError>("--columns has no effect without a LIBSVM file");
  options.columns = flags.columns;
  options.labels_path = flags.labels;
  options.users_path = flags.users;
  options.threads = flags.threads;
  return options;
}

std::optional<Schema> schema_for(const std::string& schema, const ReadOptions& reading) {
  if (!schema.empty()) return service::load_schema(schema);
  if (format_of(reading) == Format::encoded) return schema_of_encoded(reading.path);
  return std::nullopt;
}

double parse_number(const std::string& flag, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw_error<UsageError>("{} is {}, beyond what a double can hold", flag, text);
  if (error != std::errc() || end != text.data() + text.size())
    throw_error<UsageError>("{} is \"{}\", expected a number", flag, text);
  return value;
}

std::optional<std::int64_t> parse_whole_if_given(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::optional<std::int64_t> value = parse_whole_number(text);
  if (!value || *value < 0)
    throw_error<UsageError>("{} is \"{}\", expected a whole number from 0 to 2^63 - 1", flag, text);
  return value;
}

std::optional<double> parse_number_if_given(const std::string& flag, const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(parse_number(flag, text));
}

std::optional<service::LedgerUse> ledger_use(const std::string& ledger, const std::string& name) {
  if (!ledger.empty()) return service::LedgerUse{ledger, name, ledger_is_charged};
  if (!name.empty()) throw_error<UsageError>("--ledger-name needs --ledger");
  return std::nullopt;
}

std::string whole_number(const std::string& text) {
  constexpr std::int64_t most = 1'000'000'000'000'000'000;
  const std::optional<std::int64_t> value = parse_whole_number(text);
  if (value && *value >= 0 && *value < most && text.front() != '-') return std::to_string(*value);
  throw_error<UsageError>("\"{}\", expected a whole number from 0 to 10^18 - 1", text);
}

namespace {

// Methods may give an option of the same name other meanings: each is told once, with its methods.
struct OptionTexts {
  std::vector<std::string> methods;                             // that have it
  std::vector<std::pair<std::string, std::string>> of_methods;  // meaning, and the methods that give it

  void add(const std::string& method, const std::string& text) {
    methods.push_back(method);
    for (auto& [meaning, names] : of_methods)
      if (meaning == text) {
        names += ", " + method;
        return;
      }
    of_methods.emplace_back(text, method);
  }
  std::string group() const {
    return of_methods.size() == 1 ? fmt::format("For {}", fmt::join(methods, ", "))
                                  : "For several methods, each with a meaning of its own";
  }
  std::string description() const {
    if (of_methods.size() == 1) return of_methods.front().first;
    std::string text;
    for (const auto& [meaning, names] : of_methods)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", names, meaning);
    return text;
  }
};

}  // namespace

void add_method_flags(Command& command, MethodFlags& flags) {
  std::vector<std::string> order;
  std::map<std::string, OptionTexts> texts;
  for (const Method& method : methods())
    for (const OptionSpec& spec : method.options) {
      if (!texts.contains(spec.name)) order.push_back(spec.name);
      texts[spec.name].add(method.name,
                           fmt::format("{}; {}; default: {}", spec.help, spec.range, spec.fallback));
    }
  for (const std::string& name : order)
    command.add_option("--" + name, flags[name], texts[name].description())->group(texts[name].group());
}

namespace {

std::string methods_with(const std::string& option) {
  std::vector<std::string> names;
  for (const Method& method : methods())
    if (find_option(method, option)) names.push_back(method.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const OptionSpec& option_of(const std::vector<const Method*>& methods, const std::string& name) {
  for (const Method* method : methods)
    if (const OptionSpec* spec = find_option(*method, name)) return *spec;
  if (methods.size() == 1)
    throw_error<UsageError>("--{} is not an option of the method {}: it is one of {} (see `tacit methods`)",
                            name, methods.front()->name, methods_with(name));
  throw_error<UsageError>(
      "--{} is not an option of any method that gives such a guarantee (see `tacit methods`)", name);
}

}  // namespace

void set_method_options(const std::vector<const Method*>& methods, const MethodFlags& flags, Facts& options) {
  for (const auto& [name, text] : flags)
    if (!text.empty())
      options.set(service::fact_name(name), service::parse_option(option_of(methods, name), text));
}

void require_standard_output() {
  if (::fcntl(STDOUT_FILENO, F_GETFD) < 0) throw OutputError("standard output is closed");
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw OutputError("standard output could not be written");
}

void print(const nlohmann::ordered_json& json) {
  // A file's name may not be UTF-8.
  print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

void write_results(const std::string& path, const std::string& text) {
  if (path.empty())
    print(text);
  else
    write_file_atomically(path, text);
}

}  // namespace tacit::cli
