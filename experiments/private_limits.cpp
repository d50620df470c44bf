// Raw numeric data without a schema: how much of what a fit without privacy explains is left when the sizes
// of rows, labels and gradients are chosen privately. Writes private_limits.md and private_limits.svg into
// the output folder.
//
//   build/experiment_private_limits --data DIR --out docs/figures
//
// DIR holds online_news/, california_housing/ and wine_quality/.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/plot.hpp"
#include "flags.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/model.hpp"

namespace {

using namespace tacit;

struct Task {
  std::string name, loss;
  Dataset train, test;
};

Dataset rows_of(const Dataset& data, const std::vector<std::size_t>& order, std::size_t begin,
                std::size_t end) {
  DenseRows rows{end - begin, data.features.columns(), {}};
  Dataset part;
  part.target_kind = data.target_kind;
  for (std::size_t k = begin; k < end; ++k) {
    const RowView row = data.features.row(order[k]);
    rows.values.insert(rows.values.end(), row.values, row.values + row.size);
    part.labels.push_back(data.labels[order[k]]);
  }
  part.features = Features(std::move(rows));
  return part;
}

// A fifth of the records, drawn with a fixed seed, tests.
Task split(std::string name, std::string loss, const Dataset& data) {
  std::vector<std::size_t> order(data.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  const std::size_t tests = data.size() / 5;
  return {std::move(name), std::move(loss), rows_of(data, order, tests, data.size()),
          rows_of(data, order, 0, tests)};
}

Task from_file(std::string name, std::string loss, const std::filesystem::path& path, std::string target) {
  return split(std::move(name), std::move(loss),
               read_dataset({.path = path, .target = std::move(target), .wish = TargetWish::numeric}).data);
}

// Rows with Student t entries (2.5 degrees of freedom) in units of 100, y linear in them, far from 0, with
// Student t errors; `crooked`: y depends on one column's sign besides, so that no linear model is right.
Task synthetic(std::size_t n, bool crooked) {
  std::mt19937_64 random(7);
  std::student_t_distribution<> t(2.5);
  constexpr std::size_t d = 5;
  DenseRows rows{n, d, {}};
  Dataset data;
  data.target_kind = TargetKind::numeric;
  for (std::size_t i = 0; i < n; ++i) {
    double y = 5000;
    for (std::size_t j = 0; j < d; ++j) {
      rows.values.push_back(100 * t(random));
      y += (j % 2 == 0 ? 0.5 : -0.5) * rows.values.back();
    }
    if (crooked && rows.values[i * d] > 0) y += std::fabs(rows.values[i * d + 1]);
    data.labels.push_back(y + 50 * t(random));
  }
  data.features = Features(std::move(rows));
  return split(crooked ? "crooked" : "straight", "absolute", data);
}

double loss_of(const Task& task, const FittedModel& model) {
  const Metrics metrics = evaluate(model, task.test);
  return task.loss == "squared" ? *metrics.rmse : *metrics.mae;
}

double level(std::vector<double> values, double quantile) {
  const auto at = static_cast<std::size_t>(quantile * static_cast<double>(values.size()));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// The loss of the best constant: the mean, or the median.
double constant_loss(const Task& task) {
  const std::vector<double>& y = task.train.labels;
  const bool squared = task.loss == "squared";
  double constant = level(y, 0.5);
  if (squared) constant = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
  double sum = 0;
  for (const double v : task.test.labels)
    sum += (squared ? (v - constant) * (v - constant) : std::fabs(v - constant)) /
           static_cast<double>(task.test.size());
  return squared ? std::sqrt(sum) : sum;
}

// The same records in handy units, read off the training part: what a fit without privacy may do.
Task in_handy_units(Task task) {
  const std::size_t columns = task.train.features.columns();
  std::vector<double> scales;
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<double> sizes;
    for (std::size_t i = 0; i < task.train.size(); ++i)
      sizes.push_back(std::fabs(task.train.features.row(i).values[j]));
    const double scale = level(sizes, 0.95);
    scales.push_back(scale > 0 ? scale : 1);
  }
  const double middle = level(task.train.labels, 0.5);
  std::vector<double> distances;
  for (const double y : task.train.labels) distances.push_back(std::fabs(y - middle));
  const double spread = level(distances, 0.5);
  for (Dataset* data : {&task.train, &task.test}) {
    DenseRows rows = data->features.dense_rows();
    for (std::size_t k = 0; k < rows.values.size(); ++k) rows.values[k] /= scales[k % columns];
    data->features = Features(std::move(rows));
    for (double& y : data->labels) y = (y - middle) / spread;
  }
  return task;
}

struct Spread {
  double mean = 0, deviation = 0;
};

// How much smaller the loss is than that of the best constant.
Spread skill(const Task& task, service::FitOptions options, int fits) {
  const auto bits = noise::system_bits();
  const double constant = constant_loss(task);
  options.loss = task.loss;
  options.threads = 1;
  std::vector<double> seen;
  for (int k = 0; k < fits; ++k)
    seen.push_back(1 - loss_of(task, service::fit(task.train, options, *bits)) / constant);
  Spread result;
  for (const double x : seen) result.mean += x / fits;
  for (const double x : seen)
    result.deviation += (x - result.mean) * (x - result.mean) / std::max(1, fits - 1);
  result.deviation = std::sqrt(result.deviation);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  auto flags = experiment::read_flags(argc, argv, {"--data", "--out"});
  const std::filesystem::path data = flags["--data"], out = flags["--out"];
  std::vector<Task> tasks;
  tasks.push_back(
      from_file("online_news", "absolute", data / "online_news/online_news_sample7928.csv.gz", "shares"));
  tasks.push_back(
      from_file("california_housing", "absolute", data / "california_housing/cal_housing.data", "-1"));
  tasks.push_back(
      from_file("california_housing", "squared", data / "california_housing/cal_housing.data", "-1"));
  tasks.push_back(from_file("wine_quality", "squared", data / "wine_quality/winequality-white.csv", "-1"));
  tasks.push_back(synthetic(12500, false));
  tasks.push_back(synthetic(12500, true));

  constexpr int fits = 20;
  const std::vector<double> epsilons = {0.3, 1, 3, 10};
  std::string table =
      "| data | loss | scales | 0.3 | 1 | 3 | 10 | no privacy |\n|---|---|---|---|---|---|---|---|\n";
  Plot plot{.title = "Raw data, sizes chosen privately",
            .x_label = "epsilon",
            .y_label = "share of the best constant's loss that is gone",
            .log_x = true};
  for (const Task& task : tasks) {
    const double open = skill(in_handy_units(task), {.guarantee = NoPrivacy{}}, 1).mean;
    for (const bool one_scale : {false, true}) {
      Series series{.name = task.name + ", " + task.loss};
      table += fmt::format("| {} | {} | {} |", task.name, task.loss, one_scale ? "one" : "by rule");
      for (const double epsilon : epsilons) {
        service::FitOptions options{.guarantee = Pure{epsilon}};
        if (one_scale) options.method_options.set("column_share", 0.0);
        Spread at;
        try {
          at = skill(task, options, fits);
        } catch (const InfeasibleError&) {  // refused beforehand: records times epsilon is too little
          table += " too few |";
          continue;
        }
        series.x.push_back(epsilon);
        series.y.push_back(at.mean);
        series.spread.push_back(at.deviation);
        table += fmt::format(" {:.3f} ± {:.3f} |", at.mean, at.deviation);
      }
      table += fmt::format(" {:.3f} |\n", open);
      if (!one_scale) plot.series.push_back(series);
    }
  }
  write_file_atomically(out / "private_limits.md", table);
  write_file_atomically(out / "private_limits.svg", to_svg(plot));
  fmt::print("{}", table);
}
