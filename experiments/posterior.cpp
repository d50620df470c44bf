// Posterior sampling under pure and Gaussian privacy: the experiments of [Lin24] and what they cost. Tables
// are written as posterior_NAME.md, figures as .svg, into the output folder:
//
//   theory  the rates of Table 1, as in Figure 2 of the paper
//   wine    excess empirical risk on Wine red and white, as in Figures 3 and 4 (needs --data)
//   condition  a sample against noise on the minimiser where curvature is uneven
//   cost    an exact sample against the steps that chains would take, up to a million records (needs --data)
//   softmax exact samples of softmax, up to 100 000 records
//
//   build/experiment_posterior --data DIR --out docs/figures [--only NAME]

#include <exception>

#include "flags.hpp"
#include "posterior/condition.hpp"
#include "posterior/cost.hpp"
#include "posterior/softmax.hpp"
#include "posterior/theory.hpp"
#include "posterior/wine.hpp"

int main(int argc, char** argv) try {
  const experiment::Flags flags = experiment::parse_flags(argc, argv);
  const experiment::Paths paths{flags.data, flags.out};
  struct Table {
    std::string name;
    void (*make)(const experiment::Paths&);
  };
  const std::vector<Table> tables = {{"theory", experiment::theory},
                                     {"wine", experiment::wine},
                                     {"cost", experiment::cost},
                                     {"softmax", experiment::softmax},
                                     {"condition", experiment::condition}};
  for (const Table& table : tables)
    if (flags.wants(table.name)) table.make(paths);
} catch (const std::exception& error) {
  fmt::print(stderr, "experiment_posterior: {}\n", error.what());
  return 1;
}
