#pragma once

// The tables and figures that clipping_features.hpp makes runs for.

#include "clipping_features.hpp"

namespace clipping_runs {

struct NamedNorm {
  std::string label;
  double tau = 0;  // 0: auto
};

inline const std::vector<double> paper_epsilons = {2, 4, 6};

// `auto`, one norm below the least Lipschitz constant, and the paper's percentiles.
inline std::vector<NamedNorm> percentile_norms(const std::vector<double>& G) {
  std::vector<NamedNorm> norms = {{"auto", 0},
                                  {fmt::format("{:.3g} (a tenth of the least)", G[0] / 10), G[0] / 10}};
  for (const int percent : {0, 10, 20, 40, 80, 100}) {
    const double at = G[(G.size() - 1) * static_cast<std::size_t>(percent) / 100];
    norms.push_back({fmt::format("{:.3g} ({}th percentile)", at, percent), at});
  }
  return norms;
}

inline std::function<void(clipping::Options&)> fixed_norm(double tau) {
  return [tau](clipping::Options& options) {
    if (tau > 0) options.clip_norm = tau;
  };
}

// One row for each clip norm, one column for each epsilon, and the same as a figure.
inline void norm_table(const Flags& flags, FeatureRuns& runs, const std::vector<NamedNorm>& norms,
                       const std::vector<double>& epsilons, const std::string& name,
                       const std::string& title) {
  std::vector<std::string> rows;
  for (const NamedNorm& norm : norms) rows.push_back("| " + norm.label + " |");
  Plot plot{.title = title,
            .x_label = norms[0].tau > 0 ? "clip norm" : "clip norm (left end: auto)",
            .y_label = "test accuracy, %",
            .log_x = true};
  for (const double epsilon : epsilons) {
    Series series{.name = fmt::format("epsilon = {:g}", epsilon)};
    for (std::size_t k = 0; k < norms.size(); ++k) {
      const auto cell =
          runs.cell(fmt::format("{} {:.3g}", name, norms[k].tau), epsilon, fixed_norm(norms[k].tau));
      rows[k] += fmt::format(" {:.2f} ± {:.2f} | {:g}{} |", cell.accuracy.mean, cell.accuracy.deviation,
                             cell.step, runs.chooses_epochs() ? fmt::format(", {:g}", cell.epochs) : "");
      series.x.push_back(norms[k].tau > 0 ? norms[k].tau : norms[1].tau / 2);
      series.y.push_back(cell.accuracy.mean), series.spread.push_back(cell.accuracy.deviation);
    }
    plot.series.push_back(series);
  }
  std::string table = "| clip norm |", rule = "\n|---|";
  for (const double epsilon : epsilons)
    table += fmt::format(" ({:g}, 1e-5) | {} |", epsilon, runs.chooses_epochs() ? "step, epochs" : "step"),
        rule += "---|---|";
  table += rule + "\n";
  for (const std::string& row : rows) table += row + "\n";
  write(flags, name, table, &plot);
}

inline FeatureRuns softmax_runs(const Flags& flags, const std::string& set) {
  const FeatureMap map{.train = set == "MNIST" ? 10000U : 20000U};
  return {flags, set, map, Softmax{10}, {4, 8, 16, 32}};
}

inline void percentile_table(const Flags& flags, const std::string& set, const std::string& name) {
  FeatureRuns runs = softmax_runs(flags, set);
  norm_table(flags, runs, percentile_norms(runs.constants()), paper_epsilons, name,
             set + ", softmax on wavelets");
}

// [Das23, Tables 4 and 5]; Figure 1 is their plots.
inline void table4(const Flags& flags) { percentile_table(flags, "Fashion-MNIST", "clipping_table4"); }
inline void table5(const Flags& flags) { percentile_table(flags, "MNIST", "clipping_table5"); }
inline void figure1(const Flags& flags) { table4(flags), table5(flags); }

// The clip norm of a private choice with epsilon 0.3, of the whole budget.
constexpr double choice_epsilon = 0.3;

// `private-min`: choice and steps are accounted for together.
inline void by_quantile(const FeatureRuns& runs, clipping::Options& options) {
  static std::map<std::pair<std::string, double>, double> noise;  // for each set of images and epsilon
  const double epsilon = std::get<Approx>(options.target).epsilon;
  options.private_min = true;
  options.clip_share = choice_epsilon / epsilon;
  const auto [found, unknown] = noise.try_emplace({runs.set(), epsilon});
  if (unknown) {
    const auto plan = plan_dp_sgd(shape_of(runs.problem(runs.data().train)), options);
    found->second = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  }
  options.noise_multiplier = found->second;
}

// [Das23, Table 3]: with the clip norm chosen privately, and the best of Tables 4 and 5, by validation.
inline void table3(const Flags& flags) {
  std::string table = "| images | way | (2, 1e-5) | (4, 1e-5) | (6, 1e-5) |\n|---|---|---|---|---|\n";
  for (const auto& [set, name] : {std::pair<std::string, std::string>{"Fashion-MNIST", "clipping_table4"},
                                  {"MNIST", "clipping_table5"}}) {
    FeatureRuns runs = softmax_runs(flags, set);
    std::string quantile = fmt::format("| {} | `private-min`, ε = {:g} of it |", set, choice_epsilon),
                noisy = fmt::format("| {} | noisy minimum, ε = {:g} of it |", set, choice_epsilon),
                fixed = fmt::format("| {} | best fixed norm, not chosen privately |", set);
    const auto norms = percentile_norms(runs.constants());
    const auto add = [](std::string& row, const FeatureRuns::Cell& cell) {
      row += fmt::format(" {:.2f} ± {:.2f} |", cell.accuracy.mean, cell.accuracy.deviation);
    };
    for (const double epsilon : paper_epsilons) {
      add(quantile,
          runs.cell("private-min", epsilon, [&](clipping::Options& options) { by_quantile(runs, options); }));
      // The paper's way as far as it can be made private, within a public bound; the steps have the rest.
      add(noisy, runs.cell("noisy minimum", epsilon, [&](clipping::Options& options) {
        RootMeter meter({.limit = Pure{choice_epsilon}, .neighbours = Neighbours::zero_out}, system_bits());
        const double drawn =
            clipping::noisy_min_clip_norm(runs.problem(runs.data().train), {choice_epsilon, 40}, meter)
                .value();
        options.clip_norm = std::max(drawn, 1e-3);
        options.target = Approx{epsilon - choice_epsilon, 1e-5};
      }));
      FeatureRuns::Cell best;
      for (const NamedNorm& norm : norms) {
        if (norm.tau == 0) continue;
        const auto cell = runs.cell(fmt::format("{} {:.3g}", name, norm.tau), epsilon, fixed_norm(norm.tau));
        if (cell.validation > best.validation) best = cell;
      }
      add(fixed, best);
    }
    table += quantile + "\n" + noisy + "\n" + fixed + "\n";
  }
  write(flags, "clipping_table3", table, nullptr);
}

// [Das23, Table 6 and Figure 2]: softmax on pixels, the paper's own norms.
inline void table6(const Flags& flags) {
  const FeatureMap pixels{.channels = 0, .train = 55000};
  FeatureRuns runs(flags, "Fashion-MNIST pixels", pixels, Softmax{10}, {1, 2, 4, 8});
  runs.choose_epochs({15, 30});
  const std::vector<NamedNorm> norms = {{"auto", 0},
                                        {"0.1", 0.1},
                                        {"1.0", 1},
                                        {"3.0 (0th percentile)", 3.0},
                                        {"10.0 (10th)", 10.0},
                                        {"12.2 (20th)", 12.2},
                                        {"15.6 (40th)", 15.6},
                                        {"22.3 (80th)", 22.3},
                                        {"32.4 (100th)", 32.4}};
  norm_table(flags, runs, norms, paper_epsilons, "clipping_table6", "Fashion-MNIST, softmax on pixels");
}

// Table 6 at its clip norm 1 for other numbers of epochs, judged by the images that choose its steps.
inline void epochs(const Flags& flags) {
  const FeatureMap pixels{.channels = 0, .train = 55000};
  std::string table =
      "| epochs | (2, 1e-5) | (4, 1e-5) | (6, 1e-5) |\n"
      "|---|---|---|---|\n";
  FeatureRuns runs(flags, "Fashion-MNIST pixels", pixels, Softmax{10}, {});
  for (const double count : {10, 15, 20, 30}) {
    table += fmt::format("| {:g} |", count);
    for (const double epsilon : paper_epsilons) {
      const Spread found = runs.validated(fmt::format("{:g} epochs at norm 1", count), epsilon, 4,
                                          [count](clipping::Options& options) {
                                            options.clip_norm = 1;
                                            options.epochs = count;
                                          });
      table += fmt::format(" {:.2f} ± {:.2f} |", found.mean, found.deviation);
    }
    table += "\n";
  }
  write(flags, "clipping_epochs", table, nullptr);
}

// [Das23, Table 7 and Figure 3]: two layers, 256 tanh units, all of the paper's norms.
inline void table7(const Flags& flags) {
  const FeatureMap map{.channels = 18, .train = 5000, .chosen_by = 2000, .test = 2000};
  FeatureRuns runs(flags, "Fashion-MNIST network", map,
                   Network{.hidden = 256, .activation = Activation::tanh, .classes = 10}, {1, 3, 10});
  std::vector<NamedNorm> norms;
  for (const double tau : {1.0, 3.0, 6.0, 12.0, 18.0, 24.0, 30.0, 36.0})
    norms.push_back({fmt::format("{:g}", tau), tau});
  norm_table(flags, runs, norms, paper_epsilons, "clipping_table7",
             "Fashion-MNIST, 256 tanh units on wavelets");
}

}  // namespace clipping_runs
