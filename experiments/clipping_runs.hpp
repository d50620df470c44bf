#pragma once

// What the figures of experiments/clipping.cpp share: data, runs of dp-sgd, and accuracies.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "algorithm/clipping/dp_sgd.hpp"
#include "core/plot.hpp"
#include "flags.hpp"
#include "loss/softmax.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace clipping_runs {

using namespace tacit;

struct Flags {
  std::filesystem::path data, out = ".";
  std::string only;
  double epochs = 15;
  int runs = 3;
};

inline Flags parse(int argc, char** argv) {
  Flags flags;
  auto given = experiment::read_flags(argc, argv, {"--data", "--out", "--only", "--epochs", "--runs"});
  if (given.contains("--data")) flags.data = given["--data"];
  if (given.contains("--out")) flags.out = given["--out"];
  flags.only = given["--only"];
  if (given.contains("--epochs")) flags.epochs = std::stod(given["--epochs"]);
  if (given.contains("--runs")) flags.runs = std::stoi(given["--runs"]);
  return flags;
}

inline BitSource& system_bits() {
  static const auto bits = noise::system_bits();
  return *bits;
}

inline void write(const Flags& flags, const std::string& name, const std::string& table, const Plot* plot) {
  write_file_atomically(flags.out / (name + ".md"), table);
  if (plot != nullptr) write_file_atomically(flags.out / (name + ".svg"), to_svg(*plot));
  fmt::print("{}\n", table);
}

struct Spread {
  double mean = 0, deviation = 0;
};

inline Spread spread(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Spread result{.mean = std::accumulate(values.begin(), values.end(), 0.0) / n};
  for (const double x : values)
    result.deviation += (x - result.mean) * (x - result.mean) / std::max(1.0, n - 1);
  result.deviation = std::sqrt(result.deviation);
  return result;
}

// The first `records` of a labelled set of images, pixels in [0, 1].
inline Dataset images(const std::filesystem::path& folder, const std::string& part, std::size_t records) {
  Dataset data = read_dataset({.path = folder / (part + "-images-idx3-ubyte.gz"),
                               .labels_path = folder / (part + "-labels-idx1-ubyte.gz"),
                               .wish = TargetWish::classes})
                     .data;
  if (records >= data.size()) return data;
  DenseRows rows = data.features.dense_rows();
  rows.rows = records;
  rows.values.resize(records * rows.columns);
  data.features = Features(std::move(rows));
  data.labels.resize(records);
  return data;
}

// Per-sample losses of a softmax model or network, and how many records it gets right.
struct Judgement {
  std::vector<double> losses;
  double accuracy = 0;
};

// The model's outputs for one record.
inline void outputs(const Problem& problem, std::size_t record, const Vector& w, std::span<double> z) {
  const auto* network = std::get_if<Network>(&problem.loss);
  if (network == nullptr) return scores(problem, record, w, z);
  std::vector<double> hidden(network->hidden);
  scores(problem, record, w, hidden);
  activate(network->activation, hidden.data(), hidden.size());
  const double* weights = w.data() + hidden.size() * shape_of(problem).features;
  for (double& output : z) {
    output = weights[hidden.size()];
    for (std::size_t k = 0; k < hidden.size(); ++k) output += weights[k] * hidden[k];
    weights += hidden.size() + 1;
  }
}

inline Judgement judge(const Problem& problem, const Vector& w) {
  const SoftmaxLoss softmax(problem.data->classes.size());
  std::vector<double> z(softmax.outputs()), p(softmax.classes());
  Judgement result;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    outputs(problem, i, w, z);
    softmax.probabilities(z, p);
    const auto label = static_cast<std::size_t>(problem.data->labels[i]);
    result.losses.push_back(softmax.value(z, label));
    result.accuracy += std::max_element(p.begin(), p.end()) - p.begin() == static_cast<std::ptrdiff_t>(label);
  }
  result.accuracy /= static_cast<double>(problem.data->size());
  return result;
}

// The noise for a target, computed once: runs that differ in the clip norm share it.
inline double noise_for(const Approx& target, double rate, std::int64_t steps) {
  static std::map<std::tuple<double, double, std::int64_t>, double> known;
  double& z = known[{target.epsilon, rate, steps}];
  if (z == 0) z = calibrate_noise(target, rate, steps);
  return z;
}

inline void run(const Problem& problem, clipping::Options options, const clipping::Observer& observer) {
  options.threads = 1;
  RootMeter meter({options.target, Unit::item, options.neighbours}, system_bits());
  dp_sgd(problem, options, meter, observer);
}

// Test accuracy after each of the last five epochs.
inline std::vector<double> last_epochs(const Problem& train, const Problem& test, clipping::Options options) {
  const double n = static_cast<double>(train.data->size()), per_epoch = n / *options.batch;
  const auto steps = static_cast<std::int64_t>(std::ceil(*options.epochs * per_epoch));
  if (!options.noise_multiplier)
    options.noise_multiplier = noise_for(std::get<Approx>(options.target), *options.batch / n, steps);
  std::vector<double> accuracies;
  run(train, options, [&](std::uint64_t step, const Vector& w) {
    const double left = static_cast<double>(steps) - static_cast<double>(step);
    if (left < 4.5 * per_epoch && std::fmod(left, std::round(per_epoch)) == 0)
      accuracies.push_back(100 * judge(test, w).accuracy);
  });
  return accuracies;
}

}  // namespace clipping_runs
