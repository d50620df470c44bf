#pragma once

// One synthetic family: n users with m records each, rows of norm 1 in five dimensions, labels drawn from a
// logistic model whose parameters are the optimum; all methods at user-level (epsilon, 1e-5).

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "common.hpp"
#include "tacit/algorithm/clipping/dp_sgd.hpp"
#include "tacit/algorithm/plain.hpp"
#include "tacit/algorithm/user_level/group_privacy.hpp"
#include "tacit/algorithm/user_level/user_erm.hpp"
#include "tacit/algorithm/user_level/user_phased.hpp"
#include "tacit/algorithm/user_level/user_sgd.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/plot.hpp"
#include "tacit/noise/system_bits.hpp"

namespace experiment {

using namespace tacit;

constexpr std::size_t dimension = 5;
constexpr double delta = 1e-5, radius = 5;
constexpr int repeats = 3;

struct Size {
  std::size_t users = 2000, records = 16;
  double epsilon = 3;
};

inline Vector optimum() { return (Vector(5) << 3, -2, 1, 0, 0).finished(); }

inline Dataset draw(std::size_t users, std::size_t records, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  std::uniform_real_distribution<> uniform;
  Dataset data;
  DenseRows rows{users * records, dimension, {}};
  const Vector w = optimum();
  for (std::size_t i = 0; i < rows.rows; ++i) {
    Vector a = Vector::NullaryExpr(dimension, [&] { return normal(random); });
    a /= a.norm();
    rows.values.insert(rows.values.end(), a.begin(), a.end());
    data.labels.push_back(uniform(random) < 1 / (1 + std::exp(-a.dot(w))) ? 1 : -1);
    data.users.push_back(static_cast<std::uint32_t>(i / records));
  }
  data.user_count = users;
  data.target_kind = TargetKind::numeric;
  data.features = Features(std::move(rows));
  return data;
}

inline double mean_loss(const Dataset& data, const Link& link, const Vector& w) {
  const Problem problem{.data = &data, .loss = link, .intercept = 0};
  double sum = 0, z = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    scores(problem, i, w, {&z, 1});
    sum += evaluate(link, z, data.labels[i]).value;
  }
  return sum / static_cast<double>(data.size());
}

struct Outcome {
  Vector w;
  double gradients = 0;
};

using Fit = std::function<Outcome(const Problem&, const Size&)>;

inline Outcome phased(const Problem& problem, const Size& size) {
  user_level::PhasedOptions options;
  options.target = {size.epsilon, delta};
  options.records_per_user = static_cast<std::int64_t>(size.records);
  options.clip_norm = 1;
  options.radius = radius;
  options.threads = 1;
  const auto bits = noise::system_bits();
  Meter meter({options.target, Unit::user, Neighbours::replace_one}, *bits);
  user_level::RunCounts counts;
  const Release release = user_phased(problem, options, meter, &counts);
  return {release.parameters.value(), static_cast<double>(counts.gradients)};
}

inline Outcome erm(const Problem& problem, const Size& size, bool sampled) {
  user_level::ErmOptions options;
  options.target = {size.epsilon, delta};
  options.records_per_user = static_cast<std::int64_t>(size.records);
  options.clip_norm = 1;
  options.radius = radius;
  options.row_bound = 1;
  options.threads = 1;
  if (sampled) {
    options.sampling = user_level::Sampling::sample;
    options.batch = static_cast<std::int64_t>(size.users / 4 * 2);
    options.iterations = 10;
  }
  const auto bits = noise::system_bits();
  Meter meter({options.target, Unit::user, Neighbours::replace_one}, *bits);
  user_level::RunCounts counts;
  const Release release = user_erm(problem, options, meter, &counts);
  return {release.parameters.value(), static_cast<double>(counts.gradients)};
}

inline Outcome sgd(const Problem& problem, const Size& size) {
  user_level::SgdOptions options;
  options.common.target = Approx{size.epsilon, delta};
  options.common.clip_norm = 1.5 / std::sqrt(static_cast<double>(size.records));
  options.common.radius = radius;
  options.common.threads = 1;
  options.records_per_user = static_cast<std::int64_t>(size.records);
  const auto bits = noise::system_bits();
  Meter meter({options.common.target, Unit::user, Neighbours::zero_out}, *bits);
  const Release release = user_sgd(problem, options, meter);
  return {release.parameters.value(),
          release.certificate.options.number("epochs") * static_cast<double>(problem.data->size())};
}

// Item-level DP-SGD at what group privacy leaves for each of m records.
inline Outcome group(const Problem& problem, const Size& size) {
  clipping::Options options;
  options.target = user_level::item_target({size.epsilon, delta}, static_cast<std::int64_t>(size.records));
  options.clip_norm = 1;
  options.radius = radius;
  options.threads = 1;
  const auto bits = noise::system_bits();
  Meter meter({options.target, Unit::item, Neighbours::zero_out}, *bits);
  const Release release = dp_sgd(problem, options, meter);
  return {release.parameters.value(),
          release.certificate.options.number("epochs") * static_cast<double>(problem.data->size())};
}

struct Contestant {
  std::string name;
  Fit fit;
  Link link{LinkKind::logistic, 0};
};

inline std::vector<Contestant> contestants() {
  return {{"user-phased", phased},
          {"user-erm", [](const Problem& p, const Size& s) { return erm(p, s, false); }},
          {"user-erm, samples", [](const Problem& p, const Size& s) { return erm(p, s, true); }},
          {"user-erm, hinge smoothed", [](const Problem& p, const Size& s) { return erm(p, s, false); },
           Link{LinkKind::hinge, 0}},
          {"user-sgd", sgd},
          {"group privacy", group}};
}

inline Vector without_privacy(const Dataset& data, const Link& link) {
  const Problem problem{.data = &data, .loss = link, .intercept = 0};
  const auto bits = noise::system_bits();
  Meter meter({NoPrivacy{}}, *bits);
  return plain::fit(problem, {.threads = 1}, meter).parameters.value();
}

struct Cell {
  Spread excess;
  double gradients = 0;
  bool refused = false;
};

inline Cell run(const Contestant& who, const Size& size, const Dataset& population, double best) {
  std::vector<double> excess;
  Cell cell;
  for (int k = 0; k < repeats; ++k) {
    const Dataset data = draw(size.users, size.records, static_cast<unsigned>(100 + k));
    const Problem problem{.data = &data, .loss = who.link, .intercept = 0};
    try {
      const Outcome outcome = who.fit(problem, size);
      excess.push_back(mean_loss(population, who.link, outcome.w) - best);
      cell.gradients = outcome.gradients;
    } catch (const InfeasibleError&) {
      cell.refused = true;
      return cell;
    }
  }
  cell.excess = spread_of(excess);
  return cell;
}

// The slope of log y against log x; NaN with fewer than two points.
inline double exponent(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0, my = 0, xx = 0, xy = 0;
  const double n = static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) mx += std::log(x[k]) / n, my += std::log(y[k]) / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += (std::log(x[k]) - mx) * (std::log(x[k]) - mx);
    xy += (std::log(x[k]) - mx) * (std::log(y[k]) - my);
  }
  return xy / xx;
}

inline void synthetic(const Paths& paths) {
  const Dataset population = draw(40000, 1, 1);
  std::map<std::string, double> best;
  for (const Contestant& who : contestants())
    best[who.name] = mean_loss(population, who.link, without_privacy(population, who.link));

  struct Axis {
    std::string name, label;
    std::vector<Size> sizes;
    std::function<double(const Size&)> value;
  };
  const std::vector<Axis> axes = {
      {"n",
       "users",
       {{1000, 16, 3}, {2000, 16, 3}, {4000, 16, 3}, {8000, 16, 3}},
       [](const Size& s) { return static_cast<double>(s.users); }},
      {"m",
       "records of each",
       {{2000, 4, 3}, {2000, 16, 3}, {2000, 64, 3}},
       [](const Size& s) { return static_cast<double>(s.records); }},
      {"epsilon",
       "epsilon",
       {{2000, 16, 1}, {2000, 16, 1.5}, {2000, 16, 3}, {2000, 16, 6}, {2000, 16, 12}},
       [](const Size& s) { return s.epsilon; }}};
  std::string table;
  for (const Axis& axis : axes) {
    Plot plot{.title = "Excess risk against " + axis.label,
              .x_label = axis.label,
              .y_label = "excess population risk",
              .log_x = true,
              .log_y = true};
    table += fmt::format("| method |");
    for (const Size& size : axis.sizes) table += fmt::format(" {} = {} |", axis.name, axis.value(size));
    table += " exponent | gradients / nm |\n|---|";
    for (std::size_t k = 0; k < axis.sizes.size() + 2; ++k) table += "---|";
    table += "\n";
    for (const Contestant& who : contestants()) {
      Series series{.name = who.name};
      table += fmt::format("| {} |", who.name);
      double per_record = 0;
      for (const Size& size : axis.sizes) {
        const Cell cell = run(who, size, population, best[who.name]);
        if (cell.refused) {
          table += " refused |";
          continue;
        }
        table += fmt::format(" {:.4f} ± {:.4f} |", cell.excess.mean, cell.excess.deviation);
        series.x.push_back(axis.value(size));
        series.y.push_back(cell.excess.mean);
        series.spread.push_back(cell.excess.deviation);
        per_record = cell.gradients / static_cast<double>(size.users * size.records);
      }
      table += fmt::format(" {:.2f} | {:.2f} |\n", exponent(series.x, series.y), per_record);
      plot.series.push_back(std::move(series));
    }
    table += "\n";
    write_file_atomically(paths.out / fmt::format("user_level_{}.svg", axis.name), to_svg(plot));
  }
  publish(paths, "synthetic", table);
}

}  // namespace experiment
