// Fitting time with privacy against LIBLINEAR's without: the same logistic problem, the same λ, reading
// excluded. Prints a table: wall-clock time, our threads against its one, and processor time, one thread
// each, which other work on the machine moves less; the ratios of each row come from one run. "Hats" are
// sparse rows as the encoder makes them by default, and the shaped noise that goes with them; copies of a
// table make it larger. dp-sgd, which is what fits do with a delta where records are few, has no λ: its 30
// epochs stand beside LIBLINEAR's solution of the same rows.
//
//   build/bench_fit [ADULT.csv.gz SCHEMA.json]

#include <fmt/core.h>
#include <linear.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <random>
#include <vector>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/heavy_tails/limited_objective.hpp"
#include "tacit/data.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace {

using namespace tacit;

struct Times {
  double wall = 0, processor = 0;  // seconds
};

template <class F>
Times time_of(F&& run) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t used = std::clock();
  run();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC};
}

Dataset synthetic(std::size_t n, std::size_t d) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<> uniform(0, 1);
  std::vector<double> w(d);
  for (double& x : w) x = 4 * uniform(random) - 2;
  DenseRows rows{n, d, std::vector<double>(n * d)};
  Dataset data;
  data.labels.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    double score = 0;
    for (std::size_t j = 0; j < d; ++j)
      score += (rows.values[i * d + j] = uniform(random)) * w[j] - 0.5 * w[j];
    data.labels[i] = uniform(random) < 1 / (1 + std::exp(-score)) ? 1 : -1;
  }
  data.features = Features(std::move(rows));
  return data;
}

Times time_objective(const Problem& problem, heavy_tails::Options options, unsigned threads) {
  options.threads = threads;
  const auto bits = noise::system_bits();
  RootMeter meter({.limit = Pure{options.epsilon}, .neighbours = options.neighbours}, *bits);
  return time_of([&] { heavy_tails::limited_objective(problem, {.common = options}, meter); });
}

Times time_descent(const Problem& problem, unsigned threads) {
  const clipping::Options options{.target = Approx{1, 1e-6}, .threads = threads};
  const auto bits = noise::system_bits();
  RootMeter meter({.limit = options.target, .neighbours = options.neighbours}, *bits);
  return time_of([&] { clipping::dp_sgd(problem, options, meter); });
}

Times time_liblinear(const Problem& problem, double strength) {
  const Dataset& data = *problem.data;
  const int columns = static_cast<int>(data.features.columns());
  std::vector<feature_node> nodes;
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < data.size(); ++i) {
    starts.push_back(nodes.size());
    const RowView row = data.features.row(i);
    for (std::size_t k = 0; k < row.size; ++k)
      nodes.push_back({static_cast<int>(row.columns ? row.columns[k] : k) + 1, row.values[k]});
    nodes.push_back({columns + 1, 1.0});
    nodes.push_back({-1, 0});
  }
  std::vector<feature_node*> rows;
  for (const std::size_t start : starts) rows.push_back(nodes.data() + start);
  std::vector<double> labels = data.labels;

  ::problem liblinear_problem{};
  liblinear_problem.l = static_cast<int>(data.size());
  liblinear_problem.n = columns + 1;
  liblinear_problem.y = labels.data();
  liblinear_problem.x = rows.data();
  liblinear_problem.bias = 1;
  parameter options{};
  options.solver_type = L2R_LR;
  options.eps = 0.01;  // its default for -s 0
  options.C = 1 / strength;
  set_print_string_function([](const char*) {});
  ::model* fitted = nullptr;
  const Times times = time_of([&] { fitted = train(&liblinear_problem, &options); });
  free_and_destroy_model(&fitted);
  return times;
}

void compare(const std::string& name, const Problem& problem, heavy_tails::Options options) {
  options.epsilon = 1;
  options.neighbours = Neighbours::zero_out;
  const auto plan = heavy_tails::plan_limited_objective(shape_of(problem), {.common = options});
  const std::size_t records = problem.data->size();
  const Times theirs = time_liblinear(problem, static_cast<double>(records) * plan.regularisation);
  const auto print = [&](const std::string& what, double all, double one) {
    fmt::print("{:<28} {:>9} {:>8.3f} {:>8.3f} {:>6.2f} {:>10.3f} {:>8.3f} {:>6.2f}\n", what, records, all,
               theirs.wall, all / theirs.wall, one, theirs.processor, one / theirs.processor);
  };
  print(name, time_objective(problem, options, 0).wall, time_objective(problem, options, 1).processor);
  if (!problem.blocks.empty())
    print("  the same, dp-sgd", time_descent(problem, 0).wall, time_descent(problem, 1).processor);
}

void compare(const std::string& name, const Dataset& data, double row_norm_bound) {
  compare(name, {.data = &data, .loss = Link{LinkKind::logistic, 0}}, {.row_norm_bound = row_norm_bound});
}

Dataset copies(const Dataset& data, std::size_t times) {
  SparseRows rows;
  rows.rows = times * data.size();
  rows.columns = data.features.columns();
  Dataset result;
  for (std::size_t copy = 0; copy < times; ++copy)
    for (std::size_t i = 0; i < data.size(); ++i) {
      const RowView row = data.features.row(i);
      for (std::size_t k = 0; k < row.size; ++k) {
        rows.column.push_back(row.columns[k]);
        rows.value.push_back(row.values[k]);
      }
      rows.start.push_back(rows.value.size());
      result.labels.push_back(data.labels[i]);
    }
  result.features = Features(std::move(rows));
  return result;
}

ReadResult read_adult(char** files, EncoderRule encoder) {
  ReadResult adult = read_dataset({.path = files[0], .schema = read_schema(files[1]), .encoder = encoder});
  for (double& y : adult.data.labels) y = 2 * y - 1;
  return adult;
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print("{:<28} {:>9} {:>8} {:>8} {:>6} {:>10} {:>8} {:>6}\n", "", "", "wall: s", "its s", "ratio",
             "1 thread: s", "its s", "ratio");
  if (argc == 3) {
    compare("Adult", read_adult(argv + 1, EncoderRule::linear_v1).data, std::sqrt(13.0));
    const ReadResult hats = read_adult(argv + 1, EncoderRule::hats);
    for (const std::size_t times : {1u, 4u, 16u}) {
      const Dataset data = copies(hats.data, times);
      compare(fmt::format("Adult, hats, {} times", times),
              {.data = &data,
               .loss = Link{LinkKind::logistic, 0},
               .blocks = FeatureBlocks::with_intercept(hats.blocks, 1)},
              {});
    }
  }
  for (const std::size_t n : {125000u, 250000u, 500000u, 1000000u})
    compare("dense synthetic x 100", synthetic(n, 100), std::sqrt(101.0));
}
