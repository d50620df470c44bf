#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// What the commands need of CLI11, which takes seconds to compile in every file that sees it: only
// command_line.cpp does.

namespace tacit::cli {

// One option of a command. Copies speak of the same option.
class Option {
 public:
  explicit Option(void* option) : option_(option) {}
  Option* operator->() { return this; }

  Option required();
  Option group(const std::string& name);
  Option excludes(const Option& other);
  Option expected(int values);
  Option one_at_a_time();  // --limit a --limit b, never --limit a b
  Option shows_default();
  // The value in another form; a UsageError that it throws names the option.
  Option transform(std::function<std::string(std::string)> f);
  // The reason why a value is refused; empty: it is not.
  Option check(std::function<std::string(const std::string&)> f);

 private:
  void* option_;
};

// The tool, or one of its commands. Copies speak of the same command.
class Command {
 public:
  Command(const std::string& name, const std::string& summary, const std::string& version);
  Command* operator->() { return this; }
  Command& operator*() { return *this; }

  // A command under this one, with a one-line summary and the example that its --help ends with.
  Command add_command(const std::string& name, const std::string& summary, const std::string& example);
  void footer(const std::string& text);
  void require_one_command();

  // Variables must live as long as the tool.
  Option add_option(const std::string& names, std::string& variable, const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& variable, const std::string& help);
  Option add_option(const std::string& names, std::size_t& variable, const std::string& help);
  Option add_option(const std::string& names, unsigned& variable, const std::string& help);
  Option add_option(const std::string& names, int& variable, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::int64_t>& variable, const std::string& help);
  Option add_flag(const std::string& names, bool& variable, const std::string& help);
  void remove_option(const std::string& name);
  void callback(std::function<void()> run);

  std::string name() const;
  std::vector<Command> commands() const;
  std::vector<std::string> flags() const;  // "--help", …

  // Runs the callback of the command that was called. Returns the exit code of --help and --version; nothing
  // when a command ran. Throws CLI::ParseError for a command line that cannot be read.
  std::optional<int> parse(int argc, char** argv);

 private:
  explicit Command(void* app) : app_(app) {}
  std::shared_ptr<void> owned_;  // the tool itself
  void* app_;
};

}  // namespace tacit::cli
