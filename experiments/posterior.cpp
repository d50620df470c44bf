// Posterior sampling under pure and Gaussian privacy: the experiments of [Lin24] and what they cost. Tables
// are written as posterior_NAME.md, figures as .svg, into the output folder:
//
//   theory  the rates of Table 1, as in Figure 2 of the paper
//   wine    excess empirical risk on Wine red and white, as in Figures 3 and 4 (needs --data)
//   cost    an exact sample against the steps that chains would take, up to a million records (needs --data)
//
//   build/experiment_posterior --data DIR --out docs/figures [--only NAME]

#include <exception>

#include "posterior/cost.hpp"
#include "posterior/theory.hpp"
#include "posterior/wine.hpp"

int main(int argc, char** argv) try {
  experiment::Paths paths{".", "."};
  std::string only;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string name = argv[k];
    if (name == "--data") paths.data = argv[k + 1];
    if (name == "--out") paths.out = argv[k + 1];
    if (name == "--only") only = argv[k + 1];
  }
  struct Table {
    std::string name;
    void (*make)(const experiment::Paths&);
  };
  const std::vector<Table> tables = {
      {"theory", experiment::theory}, {"wine", experiment::wine}, {"cost", experiment::cost}};
  for (const Table& table : tables)
    if (only.empty() || only == table.name) table.make(paths);
} catch (const std::exception& error) {
  fmt::print(stderr, "experiment_posterior: {}\n", error.what());
  return 1;
}
