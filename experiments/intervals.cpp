// How often intervals of coefficients hold what they are for [docs/intervals.md]: simulated records, three
// sizes, three epsilons, two losses, two methods, and each kind of noise.
//
//   build/experiment_intervals [FITS [CSV [ONLY]]]     # fits of each row, 400; docs/figures/intervals.csv;
//   rows
//                                                      # with this text, such as ",80000,4"
//
// Runs batches of 50 fits and appends a line for each to the CSV; what is there is not run again, so that it
// can be stopped at any time. Prints a table in Markdown of all that there is.

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/support/interval_coverage.hpp"

namespace {

using namespace tacit;

constexpr std::size_t batch_fits = 50;

struct Row {
  experiment::CoverageSetting setting;
  std::string noise;

  std::string key() const {
    const auto* pure = std::get_if<Pure>(&setting.guarantee);
    return fmt::format("{},{},{},{},{}", setting.method, setting.classes ? "logistic" : "squared", noise,
                       setting.records, pure ? pure->epsilon : std::get<Approx>(setting.guarantee).epsilon);
  }
};

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const std::size_t records : {5000, 20000, 80000})
    for (const double epsilon : {1.0, 2.0, 4.0})
      for (const bool classes : {true, false}) {
        rows.push_back({{.classes = classes, .records = records, .guarantee = Pure{epsilon}}, "pure"});
        rows.push_back(
            {{.classes = classes, .records = records, .guarantee = Pure{epsilon}, .method = "limited-output"},
             "pure"});
      }
  for (const bool classes : {true, false})
    for (const char* method : {"limited-objective", "limited-output"})
      rows.push_back(
          {{.classes = classes, .records = 20000, .guarantee = Approx{2, 1e-6}, .method = method}, "delta"});
  return rows;
}

class Store {
 public:
  explicit Store(std::string file) : file_(std::move(file)) {
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) {
      std::size_t at = line.size();
      for (int k = 0; k < 4 && at != std::string::npos; ++k) at = line.rfind(',', at - 1);
      experiment::Coverage c;
      if (at != std::string::npos && std::sscanf(line.c_str() + at, ",%lf,%lf,%lf,%lf", &c.population,
                                                 &c.minimiser, &c.half_width, &c.noise_width) == 4)
        seen_[line.substr(0, at)] = c;
    }
  }
  const experiment::Coverage* find(const std::string& name) const {
    const auto found = seen_.find(name);
    return found == seen_.end() ? nullptr : &found->second;
  }
  void add(const std::string& name, const experiment::Coverage& c) {
    seen_[name] = c;
    std::ofstream(file_, std::ios::app) << fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g}\n", name, c.population,
                                                       c.minimiser, c.half_width, c.noise_width);
  }

 private:
  std::string file_;
  std::map<std::string, experiment::Coverage> seen_;
};

std::string batch_name(const Row& row, std::size_t batch) { return fmt::format("{},{}", row.key(), batch); }

void run_batch(const Row& row, std::size_t batch, Store& store) {
  const std::string name = batch_name(row, batch);
  if (store.find(name)) return;
  store.add(name, experiment::coverage(row.setting, batch_fits, std::hash<std::string>{}(name)));
}

void print_row(const Row& row, std::size_t batches, const Store& store) {
  experiment::Coverage mean;
  double found = 0;
  for (std::size_t batch = 0; batch < batches; ++batch)
    if (const experiment::Coverage* c = store.find(batch_name(row, batch))) {
      mean.population += c->population;
      mean.minimiser += c->minimiser;
      mean.half_width += c->half_width;
      mean.noise_width += c->noise_width;
      ++found;
    }
  if (found == 0) return;
  std::string cells = row.key();
  for (std::size_t at = 0; (at = cells.find(',', at)) != std::string::npos; at += 3)
    cells.replace(at, 1, " | ");
  fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.4f} | {:.4f} |\n", cells, found * batch_fits,
             mean.population / found, mean.minimiser / found, mean.half_width / found,
             mean.noise_width / found);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t fits = argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : 400;
  Store store(argc > 2 ? argv[2] : "docs/figures/intervals.csv");
  const std::size_t batches = (fits + batch_fits - 1) / batch_fits;
  std::vector<Row> rows = all_rows();
  const std::string only = argc > 3 ? argv[3] : "";
  std::erase_if(rows, [&](const Row& row) { return row.key().find(only) == std::string::npos; });
  for (std::size_t batch = 0; batch < batches; ++batch)
    for (const Row& row : rows) run_batch(row, batch, store);
  fmt::print(
      "| method | loss | noise | records | epsilon | fits | population | minimiser | half width | of noise "
      "|\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows) print_row(row, batches, store);
}
