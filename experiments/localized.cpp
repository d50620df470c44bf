// Accuracy on Adult's test file against epsilon: population localisation beside the solvers that it is built
// on, which use all records at once. Writes localized.md (table) and localized.svg into the output folder.
//
//   build/experiment_localized --data examples/data --out docs/figures

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
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

constexpr int fits = 10;

struct Way {
  std::string name, method, solver;
  double failure = 0;
};

Series accuracy(const ReadOptions& training, const std::filesystem::path& test, const Way& way,
                const std::vector<double>& epsilons) {
  Series series{.name = way.name};
  for (const double epsilon : epsilons) {
    service::FitOptions options{.method = way.method, .guarantee = Pure{epsilon}, .threads = 1};
    // The table is that of localisation for a replaced record, beside its solvers' for a null one.
    if (way.method == "localized") options.neighbours = Neighbours::replace_one;
    if (!way.solver.empty()) options.method_options.set("solver", way.solver);
    if (way.failure > 0) options.method_options.set("failure", way.failure);
    double mean = 0, square = 0;
    for (int k = 0; k < fits; ++k) {
      const FittedModel model = service::fit_file(training, options);
      const double seen = *evaluate(model, service::read_for_evaluation(model, {.path = test})).accuracy;
      mean += seen / fits;
      square += seen * seen / fits;
    }
    series.x.push_back(epsilon);
    series.y.push_back(mean);
    series.spread.push_back(std::sqrt(std::max(0.0, square - mean * mean) * fits / (fits - 1)));
  }
  return series;
}

}  // namespace

int main(int argc, char** argv) {
  const experiment::Flags flags = experiment::parse_flags(argc, argv, {.data = "examples/data"});
  const std::filesystem::path &data = flags.data, &out = flags.out;
  const ReadOptions training{.path = data / "adult.train.csv.gz",
                             .schema = read_schema(data / "adult.schema.json")};
  const std::vector<double> epsilons = {0.3, 1, 3, 10};
  Plot plot{.title = "Adult, logistic regression: localisation and its solvers",
            .x_label = "epsilon",
            .y_label = "accuracy on the test file",
            .log_x = true};
  std::string table = "| fit | 0.3 | 1 | 3 | 10 |\n|---|---|---|---|---|\n";
  const std::vector<Way> ways = {
      {"limited-output", "limited-output", ""},
      {"localized, limited-output", "localized", "limited-output"},
      {"localized, limited-output, failure 0.1", "localized", "limited-output", 0.1},
      {"limited-objective", "limited-objective", ""},
      {"localized, limited-objective", "localized", "limited-objective"}};
  for (const Way& way : ways) {
    plot.series.push_back(accuracy(training, data / "adult.test.csv.gz", way, epsilons));
    const Series& series = plot.series.back();
    table += "| " + way.name + " |";
    for (std::size_t k = 0; k < series.y.size(); ++k)
      table += fmt::format(" {:.4f} ± {:.4f} |", series.y[k], series.spread[k]);
    table += "\n";
  }
  write_file_atomically(out / "localized.md", table);
  write_file_atomically(out / "localized.svg", to_svg(plot));
  fmt::print("{}", table);
}
