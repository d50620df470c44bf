// How often intervals of coefficients hold what they are for [docs/intervals.md]: simulated records, three
// sizes, three epsilons, both losses, and each kind of noise. Prints a table in Markdown.
//
//   build/experiment_intervals [FITS]        # for each row; 400 unless given

#include <fmt/core.h>

#include <cstdlib>
#include <string>

#include "experiments/support/interval_coverage.hpp"

namespace {

using namespace tacit;

void print_row(const experiment::CoverageSetting& setting, const std::string& noise, std::size_t fits) {
  const experiment::Coverage found = experiment::coverage(setting, fits, 1);
  const auto* pure = std::get_if<Pure>(&setting.guarantee);
  fmt::print("| {} | {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |\n",
             setting.classes ? "logistic" : "squared", noise, setting.records,
             pure ? pure->epsilon : std::get<Approx>(setting.guarantee).epsilon, found.population,
             found.minimiser, found.half_width, found.noise_width);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t fits = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 400;
  fmt::print("| loss | noise | records | epsilon | population | minimiser | half width | of noise |\n");
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  for (const bool classes : {true, false})
    for (const std::size_t records : {20000, 40000, 80000})
      for (const double epsilon : {2.0, 4.0, 8.0})
        print_row({.classes = classes, .records = records, .guarantee = Pure{epsilon}}, "shaped", fits);
  // Where noise hides the curvature.
  print_row({.classes = true, .records = 10000, .guarantee = Pure{1}}, "shaped", fits);
  for (const bool classes : {true, false}) {
    print_row({.classes = classes, .records = 40000, .guarantee = Approx{4, 1e-6}}, "with a delta", fits);
    print_row({.classes = classes, .records = 40000, .guarantee = Pure{4}, .method = "limited-output"},
              "on the minimiser", fits);
  }
}
