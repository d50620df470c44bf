#pragma once

#include <memory>

#include "network.hpp"
#include "stationarity.hpp"
#include "tacit/root_meter.hpp"

namespace nonconvex_runs {

// Training and held-out records of one problem, and where training begins.
struct Trial {
  RecordLoss train, test;
  Vector start;
  std::shared_ptr<const void> data;  // what the losses look at
};

inline Trial trial_of(Dataset train, Dataset test, const LossSpec& loss) {
  struct Both {
    Dataset train, test;
    Problem fitted, held_out;
  };
  const auto both = std::make_shared<Both>(Both{std::move(train), std::move(test), {}, {}});
  both->fitted = {.data = &both->train, .loss = loss};
  both->held_out = {.data = &both->test, .loss = loss};
  return {record_loss(both->fitted), record_loss(both->held_out),
          clipping::initial_parameters(shape_of(both->fitted), 1), both};
}

// Columns uniform in [−1, 1], a label that `of` makes of them, and a little noise.
template <class Label>
Dataset made_of(std::size_t records, std::size_t columns, unsigned seed, const Label& of) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<> uniform(-1, 1);
  std::normal_distribution<> normal;
  DenseRows rows{records, columns, {}};
  Dataset data;
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t j = 0; j < columns; ++j) rows.values.push_back(uniform(random));
    data.labels.push_back(of(rows.values.data() + i * columns) + 0.05 * normal(random));
  }
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::numeric;
  return data;
}

inline Dataset some_rows(const Dataset& all, std::size_t records, unsigned seed) {
  std::mt19937_64 random(seed);
  const std::size_t columns = all.features.columns();
  DenseRows rows{records, columns, {}};
  Dataset data;
  for (std::size_t i = 0; i < records; ++i) {
    const std::size_t k = random() % all.size();
    const RowView row = all.features.row(k);
    rows.values.insert(rows.values.end(), row.values, row.values + columns);
    data.labels.push_back(all.labels[k]);
  }
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::numeric;
  return data;
}

using MakeTrial = std::function<Trial(std::size_t records, unsigned seed)>;

inline std::vector<std::pair<std::string, MakeTrial>> trials(const Housing& housing) {
  constexpr std::size_t held_out = 4000;
  constexpr unsigned apart = 999;
  const auto pieces = [](const double* a) {
    return std::max({a[0] - 0.5 * a[1], 0.2 - a[0], 0.8 * a[2] - 0.3});
  };
  const auto line = [](const double* a) { return 0.3 + 0.6 * (a[0] - a[1] + a[2] - a[3] + a[4]); };
  return {{"phase retrieval, 10 parameters",
           [](std::size_t n, unsigned seed) {
             const auto data = std::make_shared<std::pair<Amplitudes, Amplitudes>>(
                 Amplitudes(n, 10, seed), Amplitudes(held_out, 10, apart));
             return Trial{record_loss(data->first), record_loss(data->second), Amplitudes::start(10), data};
           }},
          {"max-affine, 12 parameters",
           [pieces](std::size_t n, unsigned seed) {
             return trial_of(made_of(n, 3, seed, pieces), made_of(held_out, 3, apart, pieces),
                             RobustFit{RobustKind::max_affine, 3});
           }},
          {"absolute loss, 6 parameters",
           [line](std::size_t n, unsigned seed) {
             return trial_of(made_of(n, 5, seed, line), made_of(held_out, 5, apart, line),
                             Link{LinkKind::absolute, 0});
           }},
          {"network on California Housing, 81 parameters", [&housing](std::size_t n, unsigned seed) {
             return trial_of(some_rows(housing.train, n, seed), some_rows(housing.test, held_out, apart),
                             Network{.hidden = 8, .activation = Activation::relu, .absolute = true});
           }}};
}

inline double mean_loss(const RecordLoss& loss, const Vector& w) {
  double sum = 0;
  for (std::size_t i = 0; i < loss.records; ++i) sum += loss.value(w, i);
  return sum / static_cast<double>(loss.records);
}

// One way to set α, D and M at radius 2, the rest by the rules.
struct Scales {
  const char* name;
  double share;    // α = radius/share; 0: 8D
  bool in_a_ball;  // MD ≤ α: M gives way; else M = 8
};

inline nonconvex::Options with_scales(const Scales& scales, double steps) {
  nonconvex::Options options;
  options.target = Approx{1, 1e-6};
  const double cap = 2 * options.radius / std::floor(steps);
  options.step_cap = cap;
  if (scales.share == 0)
    options.smoothing = 8 * cap;
  else
    options.smoothing =
        scales.in_a_ball ? std::max(options.radius / scales.share, cap) : options.radius / scales.share;
  if (!scales.in_a_ball) options.averaging = 8;
  return options;
}

// What the default steps make of the held-out loss with one α or another.
inline void smoothing_rule(const Flags& flags) {
  using enum nonconvex::Pass;
  using enum nonconvex::Estimate;
  struct Row {
    const char* method;
    nonconvex::Pass pass;
    nonconvex::Estimate estimate;
    std::size_t records;
  };
  constexpr int repeats = 10;
  const std::vector<Scales> ways = {{"α = 8D", 0, true},
                                    {"radius/10", 10, true},
                                    {"radius/40, the rule", 40, true},
                                    {"radius/40, M = 8", 40, false}};
  const Housing housing = read_housing(flags.data);
  StoredRuns stored(flags.out / "nonconvex_smoothing_rule.csv");
  std::string table = "| problem | method | records | at the start |", line = "\n|---|---|---|---|";
  for (const Scales& way : ways) table += fmt::format(" {} |", way.name), line += "---|";
  table += line + "\n";
  for (const auto& [problem, make] : trials(housing))
    for (const Row& row : {Row{"multi, gradients", multi, gradients, 200},
                           {"multi, gradients", multi, gradients, 2000},
                           {"first", single, gradients, 2000},
                           {"first", single, gradients, 20000},
                           {"single", single, values, 20000}}) {
      table += fmt::format("| {} | o2nc-{} | {} |", problem, row.method, row.records);
      const Trial shown = make(row.records, 1);
      table += fmt::format(" {:.3f} |", mean_loss(shown.test, shown.start));
      for (const Scales& way : ways) {
        const double steps =
            row.pass == multi ? 256.0 : std::min(256.0, static_cast<double>(row.records) / 32);
        nonconvex::Options options = with_scales(way, steps);
        options.pass = row.pass;
        options.estimate = row.estimate;
        if (row.pass == multi) options.directions = 1;
        const std::string key = fmt::format("{},o2nc-{},{},{}", problem, row.method, row.records, way.name);
        const std::vector<double> seen = stored.draws(key, repeats, [&](int draw) {
          const Trial trial = make(row.records, static_cast<unsigned>(draw - 1));
          const auto bits = noise::system_bits();
          RootMeter meter({options.target, Unit::item, Neighbours::replace_one}, *bits);
          return mean_loss(trial.test, minimise(trial.train, trial.start, options, meter).value());
        });
        table += fmt::format(" {:.3f} ± {:.3f} |", mean_of(seen).mean, mean_of(seen).deviation);
      }
      table += "\n";
      fmt::print("{}", table.substr(table.rfind('\n', table.size() - 2) + 1));
      std::fflush(stdout);
    }
  write(flags, "smoothing_rule", table, nullptr);
}

}  // namespace nonconvex_runs
