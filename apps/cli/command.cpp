#include "command.hpp"

#include <filesystem>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "exit_code.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/files.hpp"
#include "tacit/service/fit.hpp"

namespace tacit::cli {

CLI::App* add_command(CLI::App& tool, const std::string& name, const std::string& summary,
                      const std::string& example) {
  CLI::App* command = tool.add_subcommand(name, summary);
  command->footer("Example:\n  " + example);
  return command;
}

void add_reading_flags(CLI::App& command, ReadingFlags& flags) {
  const std::string group = "Reading";
  command.add_option("DATA", flags.path, "the data: CSV, LIBSVM or IDX, possibly gzipped")->required();
  command.add_option("--format", flags.format, "auto, csv, libsvm or idx")->group(group);
  command.add_option("--separator", flags.separator, "between cells: , ; | tab or space; found by default")
      ->group(group);
  auto* header = command.add_flag("--header", flags.header, "the first line names the columns")->group(group);
  command.add_flag("--no-header", flags.no_header, "the first line is data; columns are 0, 1, ...")
      ->group(group)
      ->excludes(header);
  command.add_option("--skip-lines", flags.skip_lines, "lines at the top that are not part of the table")
      ->check(not_whole)
      ->group(group);
  command.add_option("--columns", flags.columns, "number of features of a LIBSVM file")
      ->check(not_whole)
      ->group(group);
  command.add_option("--labels", flags.labels, "the labels of an IDX file")->group(group);
  command.add_option("--users", flags.users, "the file beside an IDX file that says whose record it is")
      ->group(group);
  command.add_option("--threads", flags.threads, "number of threads; 0: one per core")->check(not_whole);
}

namespace {

char parse_separator(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  if (text.size() == 1) return text[0];
  throw_error<UsageError>("--separator is \"{}\", expected one of , ; | tab space", text);
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
  if (flags.columns != 0 &&
      (options.format == Format::by_name ? format_by_name(options.path) : options.format) != Format::libsvm)
    throw_error<UsageError>("--columns has no effect without a LIBSVM file");
  options.columns = flags.columns;
  options.labels_path = flags.labels;
  options.users_path = flags.users;
  options.threads = flags.threads;
  return options;
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
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    throw_error<UsageError>("{} is \"{}\", expected a whole number from 0 to 2^63 - 1", flag, text);
  return value;
}

std::optional<double> parse_number_if_given(const std::string& flag, const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(parse_number(flag, text));
}

std::string not_whole(const std::string& text) {
  constexpr std::size_t most_digits = 18;
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (digits && !text.empty() && text.size() <= most_digits) return {};
  return fmt::format("\"{}\", expected a whole number from 0 to 10^18 - 1", text);
}

void add_method_flags(CLI::App& command, MethodFlags& flags) {
  for (const Method& method : methods())
    for (const OptionSpec& spec : method.options) {
      if (flags.contains(spec.name)) continue;
      command
          .add_option("--" + spec.name, flags[spec.name],
                      fmt::format("{}; {}; default: {}", spec.help, spec.range, spec.fallback))
          ->group("Method");
    }
}

namespace {

const OptionSpec& find_option(const std::vector<const Method*>& methods, const std::string& name) {
  for (const Method* method : methods)
    for (const OptionSpec& spec : method->options)
      if (spec.name == name) return spec;
  if (methods.size() == 1)
    throw_error<UsageError>("--{} is not an option of the method {} (see `tacit methods`)", name,
                            methods.front()->name);
  throw_error<UsageError>(
      "--{} is not an option of any method that gives such a guarantee (see `tacit methods`)", name);
}

}  // namespace

void set_method_options(const std::vector<const Method*>& methods, const MethodFlags& flags, Facts& options) {
  for (const auto& [name, text] : flags)
    if (!text.empty())
      options.set(service::fact_name(name), service::parse_option(find_option(methods, name), text));
}

void require_no_input(const std::string& flag, const std::string& output,
                      const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!input.empty() && std::filesystem::equivalent(output, input, ignored))
      throw_error<UsageError>("{} {} would overwrite an input, {}", flag, output, input);
  }
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
