#include <fmt/format.h>

#include <memory>
#include <span>

#include "command.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"

namespace tacit::cli {

namespace {

nlohmann::ordered_json as_json(std::span<const Method> shown) {
  auto list = nlohmann::ordered_json::array();
  for (const Method& method : shown) {
    auto options = nlohmann::ordered_json::array();
    for (const OptionSpec& spec : method.options)
      options.push_back(
          {{"name", spec.name}, {"help", spec.help}, {"range", spec.range}, {"default", spec.fallback}});
    auto notions = nlohmann::ordered_json::array();
    for (const Notion notion : method.notions) notions.push_back(name(notion));
    list.push_back({{"name", method.name},
                    {"notion", notions.front()},
                    {"notions", notions},
                    {"unit", name(method.unit)},
                    {"paper", method.paper},
                    {"summary", method.summary},
                    {"assumes", method.assumes},
                    {"options", options}});
  }
  return list;
}

std::string as_text(std::span<const Method> shown) {
  std::string text;
  for (const Method& method : shown) {
    text += fmt::format("{}{}\n  {}\n  guarantee: {}, for one {}; assumes {}\n", text.empty() ? "" : "\n",
                        method.name, method.summary, notions_in_words(method), record_or_user(method.unit),
                        method.assumes);
    if (!method.paper.empty()) text += fmt::format("  paper: {}\n", method.paper);
    for (const OptionSpec& spec : method.options)
      text +=
          fmt::format("  --{:<18} {}; {}; default: {}\n", spec.name, spec.help, spec.range, spec.fallback);
  }
  return text;
}

// A bar would end its cell.
std::string in_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

// docs/options.md: made by `tacit methods --markdown`.
std::string as_markdown(std::span<const Method> shown) {
  std::string text =
      "# Options of the methods\n\n"
      "Made by `tacit methods --markdown`. Each is a flag of `tacit fit`, and a name among `options` in "
      "Python.\n";
  for (const Method& method : shown) {
    text +=
        fmt::format("\n## {}\n\n{}. Guarantee: {}, for one {}; assumes {}.\n", method.name, method.summary,
                    notions_in_words(method), record_or_user(method.unit), method.assumes);
    if (!method.options.empty()) text += "\n| option | meaning | range | default |\n|---|---|---|---|\n";
    for (const OptionSpec& spec : method.options)
      text += fmt::format("| `--{}` | {} | {} | {} |\n", spec.name, in_cell(spec.help), in_cell(spec.range),
                          in_cell(spec.fallback));
  }
  return text;
}

}  // namespace

void add_methods(Command& tool) {
  auto json = std::make_shared<bool>(false), markdown = std::make_shared<bool>(false);
  auto name = std::make_shared<std::string>();
  Command command = tool.add_command("methods", "the ways to fit: what each guarantees and what it assumes",
                                     "tacit methods dp-sgd");
  command->add_option("name", *name, "the only one to show; default: all");
  command->add_flag("--json", *json, "the table as JSON");
  command->add_flag("--markdown", *markdown, "the table as a page of the book");
  command->callback([json, markdown, name] {
    const std::span<const Method> shown =
        name->empty() ? methods() : std::span<const Method>(&find_method(*name), 1);
    if (*json)
      print(as_json(shown));
    else if (*markdown)
      print(as_markdown(shown));
    else
      print(as_text(shown));
  });
}

}  // namespace tacit::cli
