#pragma once

// Algorithm 3 by its theorem's rules: steps, samples, gradients and risk, beside the defaults. n users with m
// records each, rows of norm 1 in five dimensions, labels drawn from a logistic model whose parameters are
// the optimum.

#include <random>

#include "cells.hpp"
#include "contestants.hpp"

namespace experiment {

inline const Vector truth = (Vector(5) << 3, -2, 1, 0, 0).finished();

inline double chance_of_one(double ideal) { return 1 / (1 + std::exp(-ideal)); }

inline Dataset draw_logistic(const Size& size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  std::uniform_real_distribution<> uniform;
  Dataset data;
  DenseRows rows{size.users * size.records, 5, {}};
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const Vector a = Vector::NullaryExpr(5, [&] { return normal(random); }).normalized();
    rows.values.insert(rows.values.end(), a.begin(), a.end());
    data.labels.push_back(uniform(random) < chance_of_one(a.dot(truth)) ? 1 : -1);
    data.users.push_back(static_cast<std::uint32_t>(i / size.records));
  }
  data.user_count = size.users;
  data.target_kind = TargetKind::numeric;
  data.features = Features(std::move(rows));
  return data;
}

// Over rows that are drawn once, and over both labels that a row may have: no label is drawn, so nothing
// fits the logistic loss better than the truth, and the truth has no excess.
inline double expected_loss(const Dataset& rows, const Link& link, const Vector& w) {
  const Problem problem{.data = &rows, .loss = link, .intercept = 0};
  double sum = 0, z = 0, ideal = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    scores(problem, i, w, {&z, 1});
    scores(problem, i, truth, {&ideal, 1});
    const double one = chance_of_one(ideal);
    sum += one * evaluate(link, z, 1).value + (1 - one) * evaluate(link, z, -1).value;
  }
  return sum / static_cast<double>(rows.size());
}

// Rows point anywhere, so the optimum in the ball is a multiple of the truth: itself for the logistic loss,
// another for the hinge. The loss is convex along the ray, and thirds of it are cut off.
inline double least_loss(const Dataset& rows, const Link& link, double radius) {
  const Vector direction = truth.normalized();
  double low = 0, high = radius;
  for (int k = 0; k < 30; ++k) {
    const double left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (expected_loss(rows, link, left * direction) < expected_loss(rows, link, right * direction))
      high = right;
    else
      low = left;
  }
  return expected_loss(rows, link, 0.5 * (low + high) * direction);
}

constexpr double ball = 5;

struct Population {
  Link link;
  Dataset rows = draw_logistic({.users = 400000, .records = 1}, 1);
  double best = least_loss(rows, link, ball);
};

// Steps, samples, and the tau of the first phase where it ended, times √m.
inline std::string plan_of(const Facts& stated, double spread) {
  if (!stated.has("iterations")) return "–";
  return fmt::format("T = {}, ", stated.integer("iterations")) +
         (stated.has("batch") ? fmt::format("K = {}", stated.integer("batch"))
                              : fmt::format("all, phases: {}", stated.integer("phases"))) +
         fmt::format(", τ√m = {:.2g}", spread);
}

inline Cell risk_cell(const Population& population, const Size& size, const Fit& fit) {
  std::vector<double> excess;
  Cell cell;
  double spread = 0;
  for (unsigned k = 0; k < draws; ++k) try {
      const Dataset data = draw_logistic(size, 100 + k);
      const Outcome outcome = fit({.data = &data, .loss = population.link, .intercept = 0}, size);
      excess.push_back(expected_loss(population.rows, population.link, outcome.w) - population.best);
      cell.gradients = outcome.gradients;
      const Facts& stated = outcome.options;
      if (stated.has("tau_1"))
        spread += stated.number("tau_1") * std::sqrt(static_cast<double>(size.records)) / draws;
      cell.note = plan_of(stated, spread);
    } catch (const InfeasibleError&) {
      cell.refused = true;
      return cell;
    }
  cell.excess = spread_of(excess);
  return cell;
}

// Excess risk against users, for its slope. Where users are sampled is a regime of its own.
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

// What is planned, for sizes beyond those that run, and the order of the theorem's risk.
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
  const double risk =
      size.radius * (1 / std::sqrt(size.total()) +
                     std::sqrt(static_cast<double>(size.dimension) / static_cast<double>(size.records)) /
                         (size.epsilon * n));
  const bool suffice = users_suffice(size.users, options);
  return fmt::format("| {:.3g} | {} | {} | {} | {:.2g} | {:.1f} | {:.1f} | {:.2g} | {:.1e} |\n", n,
                     options.iterations, options.batch ? fmt::format("{}", *options.batch) : "all",
                     suffice ? "yes" : fmt::format("needs {}", least_erm_users(options)), gradients,
                     gradients / size.total(), gradients / std::pow(size.total(), 1.125), risk, printed / n);
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
  RiskLine all, samples, usuals, sgds;
  for (const std::size_t users : {3200u, 4000u, 5600u, 8000u}) {
    const Size size{.users = users, .radius = ball};
    table += risk_row("user-erm --schedule theorem", smooth, size, by_theorem, cells, &all);
    table += risk_row("user-erm", smooth, size, usual, cells, &usuals);
    if (users == 4000) table += risk_row("user-erm, hinge smoothed", kinked, size, usual, cells);
    table += risk_row("user-sgd", smooth, size, sgd, cells, &sgds);
  }
  for (const std::size_t users : {20000u, 25000u, 32000u, 40000u}) {
    const Size size{.users = users, .radius = ball};
    table += risk_row("user-erm --schedule theorem", smooth, size, by_theorem, cells, &samples);
    table += risk_row("user-sgd", smooth, size, sgd, cells, &sgds);
  }
  for (const auto& [name, line] : {std::pair{"user-erm --schedule theorem, all users", &all},
                                   {"user-erm --schedule theorem, samples", &samples},
                                   {"user-erm", &usuals},
                                   {"user-sgd", &sgds}})
    table += fmt::format("\nSlope in n, {}: {}.\n", name, shown_slope(line->users, line->excess));
  table +=
      "\n| n | T | K | can test | gradients | / nm | / (nm)^{9/8} "
      "| R(1/√(nm) + √d/(εn√m)) | K as printed / n "
      "|\n|---|---|---|---|---|---|---|---|---|\n";
  for (const double users : {2e3, 8e3, 16e3, 20e3, 32e3, 64e3, 128e3, 512e3, 2e6, 8e6, 32e6})
    table += plan_row({.users = static_cast<std::size_t>(users), .radius = ball});
  publish(paths, "theorem", table);
}

}  // namespace experiment
