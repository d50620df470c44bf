#include <memory>

#include "command.hpp"
#include "tacit/fit.hpp"
#include "tacit/service.hpp"
#include "working.hpp"

namespace tacit::cli {

namespace {

struct PlotFlags {
  std::string model, column, output;
};

void run(const PlotFlags& flags) {
  if (!flags.output.empty()) service::require_writable(flags.output);
  require_no_input("--output", flags.output, {flags.model});
  require_same_kind("--output", flags.output, figure_begins, "figure");
  std::string svg;
  {
    const Working bar("plotting");
    try {
      svg = service::curves_svg(service::load_model(flags.model), flags.column);
    } catch (const UsageError& error) {
      throw_error<UsageError>("{}: {}", flags.model, error.what());
    }
  }
  write_results(flags.output, svg);
}

}  // namespace

void add_plot(Command& tool) {
  auto flags = std::make_shared<PlotFlags>();
  Command command = tool.add_command("plot", "draw what each column adds to a model's score",
                                     "tacit plot model.json --output curves.svg");
  command->add_option("MODEL", flags->model, "a model that `tacit fit` wrote")->required();
  command->add_option("--column", flags->column, "this column, or pair, alone; default: all, largest first");
  command->add_option("--output", flags->output, "where the SVG goes; default: standard output");
  command->callback([flags] { run(*flags); });
}

}  // namespace tacit::cli
