#include <fmt/ranges.h>

#include <memory>

#include "command.hpp"
#include "tacit/core.hpp"

namespace tacit::cli {

namespace {

std::string flags_of(const Command& app) { return fmt::format("{}", fmt::join(app.flags(), " ")); }

std::string bash(const Command& tool) {
  std::vector<std::string> names;
  std::string cases;
  for (const Command& command : tool.commands()) {
    names.push_back(command.name());
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name(), flags_of(command));
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
      fmt::join(names, " "), flags_of(tool), cases);
}

}  // namespace

void add_completion(Command& tool) {
  auto shell = std::make_shared<std::string>();
  Command command = tool.add_command("completion", "print a completion script for a shell",
                                     "source <(tacit completion bash)");
  command->add_option("SHELL", *shell, "bash")->required();
  command->callback([shell, &tool] {
    if (*shell != "bash") throw_error<UsageError>("there is no completion for \"{}\", only for bash", *shell);
    print(bash(tool));
  });
}

}  // namespace tacit::cli
