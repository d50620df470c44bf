#pragma once

#include "cost.hpp"
#include "loss/softmax.hpp"

// Exact samples of softmax as the records grow: three classes, five columns, rows of norm 1.

namespace experiment {

constexpr std::size_t made_classes = 3;

// The class is the largest of three columns, with noise.
inline Dataset made_classes_of(std::size_t records) {
  Dataset data = made_records(records, 5);
  std::mt19937_64 random(2);
  std::normal_distribution<> normal(0, 0.3);
  const DenseRows& rows = data.features.dense_rows();
  for (std::size_t i = 0; i < records; ++i) {
    std::array<double, made_classes> score{};
    for (std::size_t k = 0; k < made_classes; ++k)
      score[k] = rows.values[i * rows.columns + k] + normal(random);
    data.labels[i] = static_cast<double>(std::ranges::max_element(score) - score.begin());
  }
  data.target_kind = TargetKind::classes;
  data.classes = {"a", "b", "c"};
  return data;
}

inline double accuracy(const Problem& problem, const Vector& w) {
  const SoftmaxLoss loss(made_classes);
  std::vector<double> z(loss.outputs()), p(loss.classes());
  double right = 0;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    scores(problem, i, w, z);
    loss.probabilities(z, p);
    right += static_cast<double>(std::ranges::max_element(p) - p.begin()) == problem.data->labels[i];
  }
  return 100 * right / static_cast<double>(problem.data->size());
}

inline void softmax(const Paths& paths) {
  std::string table =
      "| records | budget | processor seconds a sample | accuracy on the records, % |\n|---|---|---|---|\n";
  const auto bits = noise::system_bits();
  for (const std::size_t records : {1000U, 10000U, 100000U}) {
    const Dataset data = made_classes_of(records);
    const Problem problem{.data = &data, .loss = Softmax{made_classes}, .intercept = 0};
    for (const Guarantee& budget : {Guarantee(Pure{1}), Guarantee(Gaussian{1})}) {
      std::vector<double> times, right;
      for (int k = 0; k < 10; ++k) {
        posterior::Options options;
        options.limits = {.row_norm_bound = 1.0, .threads = 1};
        options.budget = budget;
        RootMeter meter({.limit = budget}, *bits);
        Vector w;
        times.push_back(seconds([&] { w = posterior::exact(problem, options, meter).parameters.value(); }));
        right.push_back(accuracy(problem, w));
      }
      const Mean time = mean_of(times), share = mean_of(right);
      table += fmt::format("| {} | {} | {:.2g} ± {:.1g} | {:.1f} ± {:.1f} |\n", records,
                           std::holds_alternative<Pure>(budget) ? "ε = 1" : "μ = 1", time.value, time.error,
                           share.value, share.error);
    }
  }
  publish(paths, "softmax", table);
}

}  // namespace experiment
