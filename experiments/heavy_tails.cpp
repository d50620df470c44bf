// Pure differential privacy with heavy tails: what the methods cost and give. One table each, written as
// heavy_tails_NAME.md, and .svg where there is a plot, into the output folder:
//
//   iterations  what Algorithm 3 of the paper needs, and Newton's method takes
//   hard        risk on the hard instances against the lower bound
//   risk        excess risk of every route at equal epsilon, Student t rows
//   exponents   how errors fall with n for k = 2, 3, 4 moments, ten draws each; goes on where it was stopped
//   phases      all records at once against localisation, ten draws each; goes on likewise
//   news        Online News as it is, without bounds (needs --data)
//
//   build/experiment_heavy_tails --data DIR --out docs/figures [--only NAME]

#include <exception>

#include "flags.hpp"
#include "heavy_tails/exponents.hpp"
#include "heavy_tails/hard.hpp"
#include "heavy_tails/iterations.hpp"
#include "heavy_tails/news.hpp"
#include "heavy_tails/phases.hpp"
#include "heavy_tails/risk.hpp"

int main(int argc, char** argv) try {
  const experiment::Flags flags = experiment::parse_flags(argc, argv);
  const experiment::Paths paths{flags.data, flags.out};
  struct Table {
    std::string name;
    void (*make)(const experiment::Paths&);
  };
  const std::vector<Table> tables = {
      {"iterations", experiment::iterations}, {"hard", experiment::hard},     {"risk", experiment::risk},
      {"exponents", experiment::exponents},   {"phases", experiment::phases}, {"news", experiment::news}};
  for (const Table& table : tables)
    if (flags.wants(table.name)) table.make(paths);
} catch (const std::exception& error) {
  fmt::print(stderr, "experiment_heavy_tails: {}\n", error.what());
  return 1;
}
