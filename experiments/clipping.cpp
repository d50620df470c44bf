// The clip norm of DP-SGD [Das23]: what it does to accuracy, and what the theorems say. Nothing here is tuned
// privately: step lengths are the best of a fixed grid, by images of the training file that no run trains on.
//
//   build/experiment_clipping --data DIR --out docs/figures [--only
//   table3|table4|table5|figure1|table6|table7|epochs|tails|schedules|bound|sparse|choice]
//
// DIR holds fashion_mnist and mnist_writers (the IDX files) and a9a (LIBSVM).

#include <sys/resource.h>

#include <random>

#include "algorithm/clipping/clip_norm.hpp"
#include "algorithm/clipping/lipschitz.hpp"
#include "clipping_feature_tables.hpp"
#include "clipping_schedules.hpp"
#include "clipping_theory.hpp"
#include "core/plot.hpp"
#include "tacit/root_meter.hpp"

namespace {

using namespace clipping_runs;

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Dataset sparse_data(std::size_t records, std::size_t columns, std::size_t per_row) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform;
  SparseRows rows{.rows = records, .columns = columns};
  Dataset data;
  std::vector<std::uint32_t> chosen(per_row);
  for (std::size_t i = 0; i < records; ++i) {
    for (auto& c : chosen)  // a few columns are common and most are rare, as words are
      c = static_cast<std::uint32_t>(static_cast<double>(columns) * std::pow(uniform(random), 4));
    std::sort(chosen.begin(), chosen.end());
    const auto end = std::unique(chosen.begin(), chosen.end());
    double score = 0;
    for (auto c = chosen.begin(); c != end; ++c) {
      rows.column.push_back(*c), rows.value.push_back(1);
      score += *c % 3 == 0 ? 1 : -0.5;  // columns whose number is a multiple of 3 speak for one class
    }
    rows.start.push_back(rows.column.size());
    data.labels.push_back(score > 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  return data;
}

void sparse_row(std::string& table, const std::string& name, const Dataset& data, double epochs) {
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}};
  const double before = peak_megabytes(),
               entries = static_cast<double>(data.features.sparse_rows().value.size());
  clipping::Options options;
  options.target = Approx{2, 1e-5};
  options.epochs = epochs;
  options.threads = 1;
  RootMeter meter({options.target, Unit::item, options.neighbours}, system_bits());
  const Vector w = dp_sgd(problem, options, meter).parameters.value();
  double right = 0, z = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    scores(problem, i, w, {&z, 1});
    right += (z > 0) == (data.labels[i] > 0);
  }
  const double cells = static_cast<double>(data.size()) * static_cast<double>(data.features.columns());
  table +=
      fmt::format("| {} | {} × {} | {:.1f} | {:.0f} | {:.0f} | {:.0f} | {:.1f} % |\n", name, data.size(),
                  data.features.columns(), entries / static_cast<double>(data.size()), cells * 8 / 1048576,
                  before, peak_megabytes(), 100 * right / static_cast<double>(data.size()));
}

void sparse(const Flags& flags) {
  std::string table =
      "| data | shape | entries a row | dense it would be, MB | peak before, MB | peak after, MB | training "
      "accuracy "
      "|\n|---|---|---|---|---|---|---|\n";
  Dataset a9a = read_dataset({.path = flags.data / "a9a" / "a9a",
                              .format = Format::libsvm,
                              .columns = 123,
                              .wish = TargetWish::numeric})
                    .data;
  sparse_row(table, "a9a", a9a, 10);
  sparse_row(table, "synthetic", sparse_data(1'000'000, 100'000, 50), 1);
  write(flags, "clipping_sparse", table, nullptr);
}

// The clip norm chosen privately: the quantile against the paper's noisy minimum.
void choice(const Flags& flags) {
  const Dataset train = images(flags.data / "fashion_mnist", "train", 60000);
  const Problem problem{.data = &train, .loss = Softmax{10}};
  auto G = clipping::lipschitz_constants(problem);
  std::sort(G.begin(), G.end());
  const auto rank = [&](double tau) { return std::lower_bound(G.begin(), G.end(), tau) - G.begin(); };
  std::string table = fmt::format("The least G is {:.2f}, the 1st percentile {:.2f}, the largest {:.2f}.\n\n",
                                  G[0], G[600], G.back()) +
                      "| way | ε | clip norms in 20 draws | records below |\n|---|---|---|---|\n";
  for (const double epsilon : {0.1, 0.3, 3.0})
    for (const bool quantile : {true, false}) {
      std::vector<double> drawn;
      for (int k = 0; k < 20; ++k) {
        RootMeter meter({.limit = Pure{epsilon}, .neighbours = Neighbours::zero_out}, system_bits());
        drawn.push_back((quantile ? clipping::private_clip_norm(problem, {epsilon, 0.01, train.size()}, meter)
                                  : clipping::noisy_min_clip_norm(problem, {epsilon, 40}, meter))
                            .value());
      }
      const auto [low, high] = std::minmax_element(drawn.begin(), drawn.end());
      table += fmt::format("| {} | {:g} | {:.2f} to {:.2f} | {} to {} |\n",
                           quantile ? "`private-min`, 1st percentile" : "noisy minimum within [0, 40]",
                           epsilon, *low, *high, rank(*low), rank(*high));
    }
  write(flags, "clipping_choice", table, nullptr);
}

}  // namespace

int main(int argc, char** argv) try {
  const Flags flags = parse(argc, argv);
  const std::vector<std::pair<std::string, void (*)(const Flags&)>> figures = {
      {"choice", choice}, {"tails", tails},   {"schedules", schedules}, {"bound", bound},
      {"sparse", sparse}, {"table4", table4}, {"table5", table5},       {"figure1", figure1},
      {"table3", table3}, {"table7", table7}, {"table6", table6},       {"epochs", epochs}};
  for (const auto& [name, draw] : figures)
    if (flags.only.empty() || flags.only == name) draw(flags);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
