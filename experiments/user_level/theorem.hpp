#pragma once

// Algorithm 3 by its theorem's rules: steps, samples, gradients and risk, beside the defaults. n users with m
// records each, rows of norm 1 in five dimensions, labels drawn from a logistic model whose parameters are
// the optimum.

#include <random>

#include "algorithm/plain.hpp"
#include "cells.hpp"
#include "contestants.hpp"

namespace experiment {

inline Dataset draw_logistic(const Size& size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  std::uniform_real_distribution<> uniform;
  const Vector w = (Vector(5) << 3, -2, 1, 0, 0).finished();
  Dataset data;
  DenseRows rows{size.users * size.records, 5, {}};
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const Vector a = Vector::NullaryExpr(5, [&] { return normal(random); }).normalized();
    rows.values.insert(rows.values.end(), a.begin(), a.end());
    data.labels.push_back(uniform(random) < 1 / (1 + std::exp(-a.dot(w))) ? 1 : -1);
    data.users.push_back(static_cast<std::uint32_t>(i / size.records));
  }
  data.user_count = size.users;
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

inline Vector without_privacy(const Dataset& data, const Link& link) {
  const Problem problem{.data = &data, .loss = link, .intercept = 0};
  const auto bits = noise::system_bits();
  RootMeter meter({NoPrivacy{}}, *bits);
  return plain::fit(problem, {.threads = 1}, meter).parameters.value();
}

struct Population {
  Link link;
  Dataset data = draw_logistic({.users = 40000, .records = 1}, 1);
  double best = mean_loss(data, link, without_privacy(data, link));
};

inline Cell risk_cell(const Population& population, const Size& size, const Fit& fit) {
  std::vector<double> excess;
  Cell cell;
  for (unsigned k = 0; k < draws; ++k) try {
      const Dataset data = draw_logistic(size, 100 + k);
      const Outcome outcome = fit({.data = &data, .loss = population.link, .intercept = 0}, size);
      excess.push_back(mean_loss(population.data, population.link, outcome.w) - population.best);
      cell.gradients = outcome.gradients;
      const Facts& stated = outcome.options;
      cell.note = "–";
      if (stated.has("iterations"))
        cell.note = fmt::format("T = {}, ", stated.integer("iterations")) +
                    (stated.has("batch") ? fmt::format("K = {}", stated.integer("batch"))
                                         : fmt::format("all, in {} phases", stated.integer("phases")));
    } catch (const InfeasibleError&) {
      cell.refused = true;
      return cell;
    }
  cell.excess = spread_of(excess);
  return cell;
}

// Excess risk against users, for its slope.
struct RiskLine {
  std::vector<double> users;
  std::vector<Spread> excess;
};

inline std::string risk_row(const std::string& name, const Population& population, const Size& size,
                            const Fit& fit, Cells& cells, RiskLine* line = nullptr) {
  const std::optional<Cell> found = cells.get(fmt::format("theorem, {}, n = {}", name, size.users),
                                              [&] { return risk_cell(population, size, fit); });
  if (!found || found->refused)
    return fmt::format("| {} | {} | {} | | | | |\n", size.users, name, found ? "refused" : "–");
  if (line) line->users.push_back(static_cast<double>(size.users)), line->excess.push_back(found->excess);
  return fmt::format("| {} | {} | {:.2g} ± {:.1g} | {} | {:.2g} | {:.1f} | {:.1f} |\n", size.users, name,
                     found->excess.mean, found->excess.error, found->note, found->gradients,
                     found->gradients / size.total(), found->gradients / std::pow(size.total(), 1.125));
}

// What is planned, for sizes beyond those that run.
inline std::string plan_row(const Size& size) {
  user_level::ErmOptions options = erm_options(size);
  options.schedule = user_level::Schedule::theorem;
  const Shape shape{.records = size.users * size.records,
                    .features = 5,
                    .outputs = 1,
                    .loss = Link{LinkKind::logistic, 0},
                    .intercept = 0};
  options = with_schedule(shape, size.users, options);
  const double n = static_cast<double>(size.users), steps = static_cast<double>(options.iterations);
  const double batch = options.batch ? static_cast<double>(*options.batch) : n;
  // One phase, and no test that fails.
  const double gradients = (steps + 1) * batch * static_cast<double>(size.records);
  // As printed: K = 500·ln(n²m²e^ε/δ)(1/ε + nε/√(T·ln(1/δ))).
  const double printed = 500 * (2 * std::log(size.total()) + size.epsilon - std::log(delta)) *
                         (1 / size.epsilon + n * size.epsilon / std::sqrt(-steps * std::log(delta)));
  const bool suffice = users_suffice(size.users, options);
  return fmt::format("| {:.3g} | {} | {} | {} | {:.2g} | {:.1f} | {:.1f} | {:.1e} |\n", n, options.iterations,
                     options.batch ? fmt::format("{}", *options.batch) : "all",
                     suffice ? "yes" : fmt::format("needs {}", least_erm_users(options)), gradients,
                     gradients / size.total(), gradients / std::pow(size.total(), 1.125), printed / n);
}

inline void theorem(const Paths& paths) {
  Cells cells(paths);
  std::string table =
      "| n | method | excess risk | plan | gradients | / nm | / (nm)^{9/8} "
      "|\n|---|---|---|---|---|---|---|\n";
  const Population smooth{.link = {LinkKind::logistic, 0}}, kinked{.link = {LinkKind::hinge, 0}};
  const Fit by_theorem = [](const Problem& problem, const Size& size) {
    user_level::ErmOptions options = erm_options(size);
    options.schedule = user_level::Schedule::theorem;
    return erm(problem, options);
  };
  const Fit usual = [](const Problem& problem, const Size& size) { return erm(problem, erm_options(size)); };
  RiskLine theorems, usuals, sgds;
  for (const std::size_t users : {4000u, 5600u, 8000u, 32000u}) {
    const Size size{.users = users, .radius = 5};
    table += risk_row("user-erm --schedule theorem", smooth, size, by_theorem, cells, &theorems);
    if (users < 10000) table += risk_row("user-erm", smooth, size, usual, cells, &usuals);
    if (users < 5000) table += risk_row("user-erm, hinge smoothed", kinked, size, usual, cells);
    table += risk_row("user-sgd", smooth, size, sgd, cells, &sgds);
  }
  for (const auto& [name, line] :
       {std::pair{"user-erm --schedule theorem", &theorems}, {"user-erm", &usuals}, {"user-sgd", &sgds}})
    table += fmt::format("\nSlope in n, {}: {}.\n", name, shown_slope(line->users, line->excess));
  table +=
      "\n| n | T | K | can test | gradients | / nm | / (nm)^{9/8} | K as printed / n "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const double users : {2e3, 8e3, 16e3, 32e3, 128e3, 512e3, 2e6, 8e6, 32e6})
    table += plan_row({.users = static_cast<std::size_t>(users), .radius = 5});
  publish(paths, "theorem", table);
}

}  // namespace experiment
