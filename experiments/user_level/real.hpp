#pragma once

// Real people: digits by their writers, lectures rated by students.

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "algorithm/partition.hpp"
#include "cells.hpp"
#include "core/plot.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/model.hpp"

namespace experiment {

using namespace tacit;

// How one method is asked for a fit.
struct Asked {
  std::string name, method;
  Facts options;
  bool item = false;
};

inline Facts facts(std::initializer_list<std::pair<const char*, FactValue>> values) {
  Facts made;
  for (const auto& [key, value] : values) made.set(key, value);
  return made;
}

struct People {
  std::string part, name, metric;
  Dataset train, test;
  service::FitOptions fit;
  std::vector<Asked> asked;
  int digits = 4;
};

inline double score(const FittedModel& model, const Dataset& test) {
  const Metrics metrics = evaluate(model, test);
  return metrics.accuracy ? 100 * *metrics.accuracy : *metrics.rmse;
}

// Ten fits of one method, scored on the test people.
inline Cell fits(const People& people, const Asked& asked, double epsilon) {
  service::FitOptions options = people.fit;
  options.method = asked.method;
  options.unit = asked.item ? Unit::item : Unit::user;
  options.guarantee = Approx{epsilon, 1e-5};
  options.method_options = asked.options;
  std::vector<double> scores;
  Cell cell;
  for (int k = 0; k < draws; ++k) try {
      const FittedModel model = service::fit(people.train, options);
      const Facts& outcome = model.certificate.options;
      if (outcome.has("phases_passed") && outcome.integer("phases_passed") < outcome.integer("phases"))
        cell.note = ", halted";
      scores.push_back(score(model, people.test));
    } catch (const InfeasibleError&) {
      cell.refused = true;
      return cell;
    }
  cell.excess = spread_of(scores);
  return cell;
}

inline std::string shown(const Cell& cell, int digits) {
  if (cell.refused) return " refused |";
  return fmt::format(" {:.{}f} ± {:.{}f}{} |", cell.excess.mean, digits, cell.excess.error, digits,
                     cell.note);
}

// `open` is what is as good as no privacy; it does not depend on epsilon.
inline void measure(const Paths& paths, const People& people, const Cell& open, std::string_view remark,
                    Cells& cells) {
  const std::vector<double> epsilons = {1, 3, 10};
  Plot plot{.title = people.name + ", user-level (epsilon, 1e-5)",
            .x_label = "epsilon",
            .y_label = people.metric,
            .log_x = true};
  std::string table =
      fmt::format("| {}, {} | ε = 1 | 3 | 10 |\n|---|---|---|---|\n", people.name, people.metric);
  for (const Asked& asked : people.asked) {
    Series series{.name = asked.name, .dashed = asked.item};
    table += fmt::format("| {} |", asked.name);
    for (const double epsilon : epsilons) {
      const auto key = fmt::format("{}, {}, epsilon = {}", people.part, asked.name, epsilon);
      const std::optional<Cell> found = cells.get(key, [&] { return fits(people, asked, epsilon); });
      table += found ? shown(*found, people.digits) : " – |";
      if (!found || found->refused) continue;
      series.x.push_back(epsilon);
      series.y.push_back(found->excess.mean);
      series.spread.push_back(found->excess.error);
    }
    table += "\n";
    plot.series.push_back(std::move(series));
  }
  const double best = open.excess.mean;
  const std::string last =
      open.excess.error > 0 ? shown(open, people.digits) : fmt::format(" {:.{}f} |", best, people.digits);
  table += fmt::format("| no privacy |{0}{0}{0}\n\n{1}\n", last, remark);
  plot.series.push_back(
      {.name = "no privacy", .x = epsilons, .y = std::vector<double>(3, best), .dashed = true});
  if (paths.shares == 1)
    write_file_atomically(paths.out / ("user_level_" + people.part + ".svg"), to_svg(plot));
  publish(paths, people.part, table);
}

inline void writers(const Paths& paths) {
  const auto folder = paths.data / "mnist_writers";
  ReadOptions reading{.path = folder / "train-images-idx3-ubyte.gz"};
  reading.labels_path = folder / "train-labels-idx1-ubyte.gz";
  reading.users_path = folder / "qmnist-train-labels-idx2-int.gz";
  reading.user = "2";
  reading.wish = TargetWish::classes;
  People people{.part = "writers", .name = "mnist_writers", .metric = "accuracy, %"};
  people.digits = 2;
  people.train = read_dataset(reading).data;
  reading.path = folder / "t10k-images-idx3-ubyte.gz";
  reading.labels_path = folder / "t10k-labels-idx1-ubyte.gz";
  reading.users_path.clear();
  people.test = read_dataset(reading).data;
  people.fit.loss = "softmax";
  people.fit.threads = 1;
  people.asked = {
      {"user-sgd", "user-sgd", Facts()},
      {"user-phased", "user-phased", Facts()},
      {"user-phased --schedule theorem", "user-phased", facts({{"schedule", std::string("theorem")}})},
      {"user-erm", "user-erm", Facts()},
      {"dp-sgd, for one record", "dp-sgd", facts({{"epochs", 5.0}}), true}};
  Cells cells(paths);
  // As good as no noise, by the same model and steps.
  const std::optional<Cell> open =
      cells.get("writers, no privacy", [&] { return fits(people, people.asked.back(), 1e4); });
  measure(paths, people, open.value_or(Cell{}),
          "539 writers with 19 to 131 digits; softmax, 7065 parameters; tested on other writers. "
          "No privacy: dp-sgd with epsilon = 10000.",
          cells);
}

// Department, semesters of the student and of the lecture, service: one feature for each value.
inline Features one_for_each_value(const Dataset& raw, const std::vector<std::size_t>& columns) {
  std::map<std::pair<std::size_t, double>, std::size_t> feature;
  for (std::size_t i = 0; i < raw.size(); ++i)
    for (const std::size_t c : columns)
      feature.try_emplace({c, raw.features.row(i).values[c]}, feature.size());
  DenseRows rows{raw.size(), feature.size(), std::vector<double>(raw.size() * feature.size())};
  for (std::size_t i = 0; i < raw.size(); ++i)
    for (const std::size_t c : columns)
      rows.values[i * feature.size() + feature.at({c, raw.features.row(i).values[c]})] = 1;
  return Features(std::move(rows));
}

inline Dataset of_users(const Dataset& data, const std::set<std::uint32_t>& chosen) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < data.size(); ++i)
    if (chosen.contains(data.users[i])) rows.push_back(i);
  Dataset part = rows_of(data, rows);
  std::map<std::uint32_t, std::uint32_t> number;
  for (const std::size_t i : rows)
    part.users.push_back(
        number.try_emplace(data.users[i], static_cast<std::uint32_t>(number.size())).first->second);
  part.user_count = number.size();
  return part;
}

inline void students(const Paths& paths) {
  ReadOptions reading{.path = paths.data / "insteval" / "insteval.csv.gz"};
  reading.target = "y";
  reading.user = "s";
  reading.wish = TargetWish::numeric;
  Dataset data = read_dataset(reading).data;
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < data.names.size(); ++c)
    if (data.names[c] != "d") columns.push_back(c);
  data.features = one_for_each_value(data, columns);
  std::vector<std::uint32_t> order(data.user_count);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  const auto fifth = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 5);
  People people{.part = "students", .name = "insteval", .metric = "error of a rating (root mean square)"};
  people.test = of_users(data, {order.begin(), fifth});
  people.train = of_users(data, {fifth, order.end()});
  people.fit.loss = "squared";
  people.fit.target_min = 1;
  people.fit.target_max = 5;
  people.fit.row_bound = 2;
  people.fit.threads = 1;
  people.asked = {
      {"user-sgd", "user-sgd", Facts()},
      {"user-phased", "user-phased", Facts()},
      {"user-phased --schedule theorem", "user-phased", facts({{"schedule", std::string("theorem")}})},
      {"user-erm", "user-erm", Facts()},
      {"dp-sgd, for one record", "dp-sgd", Facts(), true}};
  service::FitOptions open = people.fit;
  open.method = "plain";
  open.guarantee = NoPrivacy{};
  // Nothing is drawn for it, so that one fit tells all.
  const Cell best{.excess = {score(service::fit(people.train, open), people.test), 0}};
  Cells cells(paths);
  double mean = 0, squares = 0;
  for (const double y : people.train.labels) mean += y / static_cast<double>(people.train.size());
  for (const double y : people.test.labels) squares += (y - mean) * (y - mean);
  const double constant = std::sqrt(squares / static_cast<double>(people.test.size()));
  measure(
      paths, people, best,
      fmt::format("{} students train, {} test; {} features. The mean rating alone has an error of {:.3f}.",
                  people.train.user_count, people.test.user_count, people.train.features.columns(), constant),
      cells);
}

}  // namespace experiment
