#pragma once

#include "experiments/heavy_tails/exponents.hpp"
#include "tacit/method.hpp"

// Excess risk of the exponential mechanisms with two to five parameters, 200 records, logistic loss: ten
// draws of data and noise each. Every draw is a line of net_exponential_dimensions.csv, and a run goes on
// where the last one stopped.

namespace experiment {

struct LogisticDraw {
  static constexpr std::size_t records = 200;
  Dataset data;
  std::size_t d;
  double radius, least = 0;

  LogisticDraw(std::size_t parameters, std::uint64_t seed, double r) : d(parameters), radius(r) {
    std::mt19937_64 random(seed);
    std::normal_distribution<> normal;
    DenseRows rows{records, d, {}};
    for (std::size_t i = 0; i < rows.rows; ++i) {
      double score = normal(random);
      for (std::size_t j = 0; j < d; ++j) {
        rows.values.push_back(normal(random));
        score += (j % 2 == 0 ? 1 : -0.5) * rows.values.back();
      }
      data.labels.push_back(score > 0 ? 1 : -1);
    }
    data.features = Features(std::move(rows));
    least = risk(best());
  }

  Eigen::Map<const Vector> row(std::size_t i) const {
    return {data.features.row(i).values, static_cast<Eigen::Index>(d)};
  }
  double risk(const Vector& w) const {
    double sum = 0;
    for (std::size_t i = 0; i < data.size(); ++i)
      sum += evaluate(Link{LinkKind::logistic, 0}, row(i).dot(w), data.labels[i]).value;
    return sum / static_cast<double>(data.size());
  }
  // Projected gradient descent: the risk of unit rows has curvature ≤ 1, more or less.
  Vector best() const {
    Vector w = Vector::Zero(static_cast<Eigen::Index>(d));
    for (int step = 0; step < 1000; ++step) {
      Vector g = Vector::Zero(w.size());
      for (std::size_t i = 0; i < data.size(); ++i)
        g += evaluate(Link{LinkKind::logistic, 0}, row(i).dot(w), data.labels[i]).first * row(i);
      w = onto_ball(w - g / static_cast<double>(data.size()), radius);
    }
    return w;
  }
};

inline void dimensions(const Paths& paths) {
  constexpr int draws = 10;
  constexpr double radius = 2;
  struct Row {
    std::string name, title, method;
    std::string option;
    std::int64_t value = 0;
  };
  const std::vector<Row> rows = {
      {"net", "`net-exponential`, at most 4096 points", "net-exponential", "net_points", 4096},
      {"net-fine", "`net-exponential`, at most 2^18 points", "net-exponential", "net_points", 1 << 18},
      {"cells", "`localized-exponential`, at most 2^18 cells", "localized-exponential", "cells", 1 << 18},
      {"output", "`limited-output`", "limited-output"},
      {"objective", "`limited-objective`", "limited-objective"},
      {"zero", "always 0", ""}};
  Draws drawn(paths.out / "net_exponential_dimensions.csv");
  std::string table = "| mean excess risk | 2 parameters | 3 | 4 | 5 |\n|---|---|---|---|---|\n";
  for (const Row& each : rows) {
    table += "| " + each.title + " |";
    for (const std::size_t d : {2u, 3u, 4u, 5u}) {
      std::vector<double> seen;
      for (int draw = 0; draw < draws; ++draw)
        seen.push_back(drawn(each.name, static_cast<int>(d), LogisticDraw::records, draw, [&] {
          const LogisticDraw made(d, 1000 * d + static_cast<std::uint64_t>(draw), radius);
          if (each.method.empty()) return made.risk(Vector::Zero(static_cast<Eigen::Index>(d))) - made.least;
          Facts facts;
          facts.set("epsilon", 1.0);
          facts.set("radius", radius);
          facts.set("row_norm_bound", 2.0);
          facts.set("threads", std::int64_t{1});
          if (each.value > 0) facts.set(each.option, each.value);
          const Problem problem{.data = &made.data, .loss = Link{LinkKind::logistic, 0}, .intercept = 0};
          const auto bits = noise::system_bits();
          RootMeter meter({.limit = Pure{1}}, *bits);
          const Release release = find_method(each.method).fit(problem, facts, meter);
          return made.risk(onto_ball(release.parameters.value(), radius)) - made.least;
        }));
      const auto [mean, error] = mean_and_error(seen);
      table += fmt::format(" {:.4f} ± {:.4f} |", mean, error);
    }
    table += "\n";
  }
  write_file_atomically(paths.out / "net_exponential_dimensions.md", table);
  fmt::print("{}", table);
}

}  // namespace experiment
