#include <memory>

#include "command.hpp"
#include "tacit/core/error.hpp"

namespace tacit::cli {

namespace {

std::string flags_of(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) words += (words.empty() ? "--" : " --") + name;
  return words;
}

std::string bash(const CLI::App& tool) {
  std::string names, cases;
  for (const CLI::App* command : tool.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), flags_of(*command));
  }
  return fmt::format(
      "# bash completion for tacit: source <(tacit completion bash)\n"
      "_tacit() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" words=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} {}\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n"
      "{}"
      "  esac\n"
      "  if [[ \"$current\" == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _tacit tacit\n",
      names, flags_of(tool), cases);
}

}  // namespace

void add_completion(CLI::App& tool) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = add_command(tool, "completion", "print a completion script for a shell",
                                  "source <(tacit completion bash)");
  command->add_option("SHELL", *shell, "bash")->required();
  command->callback([shell, &tool] {
    if (*shell != "bash") throw_error<UsageError>("there is no completion for \"{}\", only for bash", *shell);
    print(bash(tool));
  });
}

}  // namespace tacit::cli
