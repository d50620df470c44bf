// People with many records [LowyLiuAsi24]: excess risk against the number of users, their records, epsilon
// and the dimension, gradients by the theorems' rules, and two datasets of real people. Writes
// user_level_*.md and user_level_*.svg into the output folder.
//
//   build/experiment_user_level --data DIR --out docs/figures --only PART
//
// Cells that are measured stand in user_level_cells.tsv beside the tables, so that a command goes on where it
// was; without that file all are measured anew, and with `--measure no` tables and figures are made of what
// stands there. PART is erm_rates, phased_rates, dimensions, strong, theorem,
// writers or students; all of them without it. DIR holds mnist_writers/ and insteval/, which the last two
// read.

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "flags.hpp"
#include "tacit/core.hpp"
#include "user_level/rates.hpp"
#include "user_level/real.hpp"
#include "user_level/theorem.hpp"

int main(int argc, char** argv) {
  experiment::Paths paths;
  auto flags = experiment::read_flags(argc, argv, {"--data", "--out", "--only", "--measure", "--share"});
  paths.data = flags["--data"];
  paths.out = flags["--out"];
  const std::string only = flags["--only"];
  paths.measures = flags["--measure"] != "no";
  if (flags.contains("--share") &&
      std::sscanf(flags["--share"].c_str(), "%d/%d", &paths.share, &paths.shares) != 2)
    return 64;
  if (paths.data.empty() || paths.out.empty()) {
    fmt::print(stderr, "usage: experiment_user_level --data DIR --out DIR [--only PART]\n");
    return 64;
  }
  using namespace experiment;
  constexpr std::pair<std::string_view, void (*)(const Paths&)> parts[] = {
      {"erm_rates", erm_rates}, {"phased_rates", phased_rates}, {"dimensions", dimensions},
      {"strong", strong},       {"theorem", theorem},           {"students", students},
      {"writers", writers}};
  bool known = only.empty();
  try {
    for (const auto& [name, run] : parts)
      if (only.empty() || only == name) run(paths), known = true;
  } catch (const tacit::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  if (known) return 0;
  fmt::print(stderr, "there is no part {}\n", only);
  return 64;
}
