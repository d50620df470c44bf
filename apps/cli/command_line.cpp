#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tacit/core.hpp"

namespace tacit::cli {

namespace {

CLI::App& app(void* held) { return *static_cast<CLI::App*>(held); }
CLI::Option& option(void* held) { return *static_cast<CLI::Option*>(held); }

template <class T>
Option added(void* held, const std::string& names, T& variable, const std::string& help) {
  return Option(app(held).add_option(names, variable, help));
}

// The innermost command that was named.
const CLI::App& innermost(const CLI::App& tool) {
  const auto given = tool.get_subcommands();
  return given.empty() ? tool : innermost(*given.front());
}

std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : path_of(*parent) + " " + command.get_name();
}

// What nobody takes: an option first, as a value that follows it is not the mistake.
std::string not_expected(const CLI::App& tool) {
  const std::vector<std::string> left = tool.remaining(true);
  const auto option =
      std::ranges::find_if(left, [](const std::string& word) { return word.starts_with("-"); });
  const std::string help = path_of(innermost(tool)) + " --help";
  return option != left.end() ? fmt::format("unknown option {} (see `{}`)", *option, help)
                              : fmt::format("\"{}\" is one argument too many (see `{}`)", left.front(), help);
}

// "--epsilon: 1 required TEXT missing", "--epsilon: At Most 1 required but received 2"
std::string wrong_number(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  if (message.find("missing") != std::string::npos) return fmt::format("{} has no value", option);
  if (message.find("but received") != std::string::npos)
    return fmt::format("{} is given more often than expected", option);
  return message;
}

std::string missing(const CLI::App& tool, const std::string& message) {
  if (message.find("subcommand") == std::string::npos) return message;
  std::string names;
  for (const CLI::App* command : innermost(tool).get_subcommands([](const CLI::App*) { return true; }))
    names += (names.empty() ? "" : ", ") + command->get_name();
  return fmt::format("{} needs a command, one of {}", path_of(innermost(tool)), names);
}

}  // namespace

Option Option::required() {
  option(option_).required();
  return *this;
}

Option Option::group(const std::string& name) {
  option(option_).group(name);
  return *this;
}

Option Option::excludes(const Option& other) {
  option(option_).excludes(static_cast<CLI::Option*>(other.option_));
  return *this;
}

Option Option::expected(int values) {
  option(option_).expected(values);
  return *this;
}

Option Option::one_at_a_time() {
  option(option_).allow_extra_args(false);
  return *this;
}

Option Option::shows_default() {
  option(option_).capture_default_str();
  return *this;
}

Option Option::transform(std::function<std::string(std::string)> f) {
  option(option_).transform([f = std::move(f)](const std::string& text) {
    try {
      return f(text);
    } catch (const UsageError& error) {
      throw CLI::ValidationError(error.what());
    }
  });
  return *this;
}

Option Option::check(std::function<std::string(const std::string&)> f) {
  option(option_).check(std::move(f));
  return *this;
}

Command::Command(const std::string& name, const std::string& summary, const std::string& version)
    : owned_(std::make_shared<CLI::App>(summary, name)), app_(owned_.get()) {
  app(app_).set_version_flag("--version", version);
}

Command Command::add_command(const std::string& name, const std::string& summary,
                             const std::string& example) {
  Command command(app(app_).add_subcommand(name, summary));
  command.footer("Example:\n  " + example);
  return command;
}

void Command::footer(const std::string& text) { app(app_).footer(text); }

void Command::require_one_command() { app(app_).require_subcommand(1); }

Option Command::add_option(const std::string& names, std::string& variable, const std::string& help) {
  return added(app_, names, variable, help);
}

Option Command::add_option(const std::string& names, std::vector<std::string>& variable,
                           const std::string& help) {
  return added(app_, names, variable, help);
}

Option Command::add_option(const std::string& names, std::size_t& variable, const std::string& help) {
  return added(app_, names, variable, help);
}

Option Command::add_option(const std::string& names, unsigned& variable, const std::string& help) {
  return added(app_, names, variable, help);
}

Option Command::add_option(const std::string& names, int& variable, const std::string& help) {
  return added(app_, names, variable, help);
}

Option Command::add_option(const std::string& names, std::optional<std::int64_t>& variable,
                           const std::string& help) {
  return added(app_, names, variable, help);
}

Option Command::add_flag(const std::string& names, bool& variable, const std::string& help) {
  return Option(app(app_).add_flag(names, variable, help));
}

void Command::remove_option(const std::string& name) { app(app_).remove_option(app(app_).get_option(name)); }

void Command::callback(std::function<void()> run) { app(app_).callback(std::move(run)); }

std::string Command::name() const { return app(app_).get_name(); }

std::vector<Command> Command::commands() const {
  std::vector<Command> found;
  for (CLI::App* command : app(app_).get_subcommands([](CLI::App*) { return true; }))
    found.push_back(Command(static_cast<void*>(command)));
  return found;
}

std::vector<std::string> Command::flags() const {
  std::vector<std::string> found;
  for (const CLI::Option* held : app(app_).get_options())
    for (const std::string& name : held->get_lnames()) found.push_back(fmt::format("--{}", name));
  return found;
}

std::optional<int> Command::parse(int argc, char** argv) {
  try {
    app(app_).parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app(app_).exit(asked);  // --help and --version
  } catch (const CLI::ExtrasError&) {
    throw_error<UsageError>("{}", not_expected(app(app_)));
  } catch (const CLI::ArgumentMismatch& error) {
    throw_error<UsageError>("{}", wrong_number(error.what()));
  } catch (const CLI::RequiredError& error) {
    throw_error<UsageError>("{}", missing(app(app_), error.what()));
  }
  return std::nullopt;
}

}  // namespace tacit::cli
