#pragma once

#include <numeric>

#include "synthetic.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/model.hpp"

// Online News: raw columns from fractions to 10⁶, a target with tail index below 2, no bounds given.

namespace experiment {

struct NewsTask {
  std::string target, loss;
  Dataset train, test;
  double largest;  // the public bound on the target that clipping needs, and limits do not

  double error(const FittedModel& model) const {
    const Metrics metrics = evaluate(model, test);
    return loss == "squared" ? *metrics.rmse : *metrics.mae;
  }
};

inline std::vector<NewsTask> news_tasks(const Paths& paths) {
  const Dataset all = read_dataset({.path = paths.data / "online_news/online_news_sample7928.csv.gz",
                                    .target = "shares",
                                    .wish = TargetWish::numeric})
                          .data;
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  const auto part = [&](std::size_t begin, std::size_t end, bool logarithm) {
    Dataset data;
    data.target_kind = TargetKind::numeric;
    DenseRows rows{end - begin, all.features.columns(), {}};
    for (std::size_t k = begin; k < end; ++k) {
      const RowView row = all.features.row(order[k]);
      rows.values.insert(rows.values.end(), row.values, row.values + row.size);
      data.labels.push_back(logarithm ? std::log1p(all.labels[order[k]]) : all.labels[order[k]]);
    }
    data.features = Features(std::move(rows));
    return data;
  };
  const std::size_t tests = all.size() / 5;
  std::vector<NewsTask> tasks;
  for (const bool logarithm : {true, false})
    for (const std::string loss : {"absolute", "squared"})
      tasks.push_back({logarithm ? "log(1 + shares)" : "shares", loss, part(tests, all.size(), logarithm),
                       part(0, tests, logarithm), logarithm ? 14.0 : 1e5});
  return tasks;
}

// Rows clipped to `clip` and divided by it, in training and in testing alike: the kindest use of clipping.
inline NewsTask with_clipped_rows(NewsTask task, double clip) {
  for (Dataset* data : {&task.train, &task.test}) {
    DenseRows rows = clipped(*data, clip).features.dense_rows();
    for (double& x : rows.values) x /= clip;
    data->features = Features(std::move(rows));
  }
  return task;
}

inline std::string summary(const NewsTask& task, const service::FitOptions& options, int fits) {
  std::vector<double> seen;
  for (int k = 0; k < fits; ++k) seen.push_back(task.error(service::fit(task.train, options)));
  return fmt::format(" {:.4g} ({:.4g}) |", level(seen, 0.5), *std::max_element(seen.begin(), seen.end()));
}

// Held-out error, median (and worst) of ten fits.
inline void news(const Paths& paths) {
  constexpr int fits = 10;
  std::string table = "| target | error | method | ε = 0.5 | 1 | 5 |\n|---|---|---|---|---|---|\n";
  for (const NewsTask& task : news_tasks(paths)) {
    const std::string error = task.loss == "squared" ? "rmse" : "mae";
    const std::vector<double>& y = task.train.labels;
    const double best = task.loss == "squared"
                            ? std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size())
                            : level(y, 0.5);
    double constant = 0;
    for (const double v : task.test.labels)
      constant += (task.loss == "squared" ? (v - best) * (v - best) : std::fabs(v - best)) /
                  static_cast<double>(task.test.size());
    if (task.loss == "squared") constant = std::sqrt(constant);
    const std::string head = fmt::format("| {} | {} |", task.target, error);
    table += head + fmt::format(" best constant, not private | {0:.4g} | {0:.4g} | {0:.4g} |\n", constant);
    table += head + " default: sizes chosen privately |";
    for (const double epsilon : {0.5, 1.0, 5.0})
      table += summary(task, {.loss = task.loss, .guarantee = Pure{epsilon}, .threads = 1}, fits);
    table += "\n";
    for (const double clip : {1e2, 1e4, 1e6}) {
      const NewsTask cut = with_clipped_rows(task, clip);
      table += head + fmt::format(" rows clipped to {:.0e} |", clip);
      for (const double epsilon : {0.5, 1.0, 5.0})
        table += summary(cut,
                         {.loss = task.loss,
                          .guarantee = Pure{epsilon},
                          .row_bound = 1.0,
                          .target_min = 0.0,
                          .target_max = task.largest,
                          .threads = 1},
                         fits);
      table += "\n";
    }
  }
  publish(paths, "news", table);
}

}  // namespace experiment
