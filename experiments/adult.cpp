// Accuracy on Adult's test file against epsilon: the two pure-DP methods beside a fit without privacy.
// Writes adult.md (table) and adult.svg into the output folder.
//
//   build/experiment_adult --data examples/data --out docs/figures

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/plot.hpp"
#include "flags.hpp"
#include "tacit/core.hpp"
#include "tacit/fit.hpp"
#include "tacit/model.hpp"
#include "tacit/service.hpp"

namespace {

using namespace tacit;

constexpr int runs = 10;

struct Spread {
  double mean = 0, deviation = 0;
};

Spread accuracy(const ReadOptions& training, const std::filesystem::path& test, const std::string& method,
                double epsilon, int repeats) {
  std::vector<double> seen;
  for (int k = 0; k < repeats; ++k) {
    const FittedModel model = service::fit_file(
        training, {.method = method, .guarantee = service::requested_guarantee(epsilon, {}, {})});
    seen.push_back(*evaluate(model, service::read_for_evaluation(model, {.path = test})).accuracy);
  }
  Spread spread;
  for (const double x : seen) spread.mean += x / repeats;
  for (const double x : seen)
    spread.deviation += (x - spread.mean) * (x - spread.mean) / std::max(1, repeats - 1);
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

}  // namespace

int main(int argc, char** argv) {
  const experiment::Flags flags = experiment::parse_flags(argc, argv, {.data = "examples/data"});
  const std::filesystem::path &data = flags.data, &out = flags.out;
  const ReadOptions training{.path = data / "adult.train.csv.gz",
                             .schema = read_schema(data / "adult.schema.json")};
  const std::filesystem::path test = data / "adult.test.csv.gz";

  const std::vector<double> epsilons = {0.1, 0.3, 1, 3, 10};
  const double open = accuracy(training, test, "plain", std::numeric_limits<double>::infinity(), 1).mean;
  Plot plot{.title = "Adult, logistic regression, pure DP",
            .x_label = "epsilon",
            .y_label = "accuracy on the test file",
            .log_x = true};
  std::string table = fmt::format("| method | {} |\n|---|---|---|---|---|---|\n", "0.1 | 0.3 | 1 | 3 | 10");
  for (const std::string method : {"limited-objective", "limited-output"}) {
    Series series{.name = method};
    table += "| `" + method + "` |";
    for (const double epsilon : epsilons) {
      const Spread at = accuracy(training, test, method, epsilon, runs);
      series.x.push_back(epsilon);
      series.y.push_back(at.mean);
      series.spread.push_back(at.deviation);
      table += fmt::format(" {:.4f} ± {:.4f} |", at.mean, at.deviation);
    }
    table += "\n";
    plot.series.push_back(series);
  }
  plot.series.push_back({.name = "no privacy", .x = {0.1, 10}, .y = {open, open}, .dashed = true});
  constexpr double majority = 12435.0 / 16281;  // of the test file
  plot.series.push_back(
      {.name = "majority class", .x = {0.1, 10}, .y = {majority, majority}, .dashed = true});
  table += fmt::format("| no privacy | {0:.4f} | {0:.4f} | {0:.4f} | {0:.4f} | {0:.4f} |\n", open);
  write_file_atomically(out / "adult.md", table);
  write_file_atomically(out / "adult.svg", to_svg(plot));
  fmt::print("{}", table);
}
