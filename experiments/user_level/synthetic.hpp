#pragma once

// One synthetic family: n users with m records each, rows of norm 1 in five dimensions, labels drawn from a
// logistic model whose parameters are the optimum; all methods at user-level (epsilon, 1e-5).
// rates.hpp has another one, and what both are measured by is in axes.hpp.

#include <algorithm>
#include <functional>
#include <map>
#include <random>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/plain.hpp"
#include "algorithm/user_level/user_erm.hpp"
#include "algorithm/user_level/user_phased.hpp"
#include "algorithm/user_level/user_sgd.hpp"
#include "axes.hpp"
#include "core/plot.hpp"
#include "privacy/nested_cost.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace experiment {

using namespace tacit;

constexpr std::size_t dimension = 5;
constexpr double delta = 1e-5;
constexpr int repeats = 3;

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

inline Outcome phased(const Problem& problem, const Size& size) {
  user_level::PhasedOptions options;
  options.target = {size.epsilon, delta};
  options.records_per_user = static_cast<std::int64_t>(size.records);
  options.clip_norm = 1;
  options.radius = size.radius;
  options.threads = 1;
  const auto bits = noise::system_bits();
  RootMeter meter({options.target, Unit::user, Neighbours::replace_one}, *bits);
  user_level::RunCounts counts;
  const Release release = user_phased(problem, options, meter, &counts);
  return {release.parameters.value(), static_cast<double>(counts.gradients)};
}

inline Outcome erm(const Problem& problem, const Size& size, bool sampled) {
  user_level::ErmOptions options;
  options.target = {size.epsilon, delta};
  options.records_per_user = static_cast<std::int64_t>(size.records);
  options.clip_norm = 1;
  options.radius = size.radius;
  options.row_bound = 1;
  options.threads = 1;
  options.smoothing = size.smoothing;
  options.smoothness = size.smoothness;
  if (sampled) {  // half of the users in each step, and as many steps as make (nm)^{9/8} gradients
    options.sampling = user_level::Sampling::sample;
    options.batch = static_cast<std::int64_t>(size.users / 4 * 2);
    options.iterations = std::lround(2 * std::pow(size.total(), 0.125)) - 1;  // one is for tau
  }
  const auto bits = noise::system_bits();
  RootMeter meter({options.target, Unit::user, Neighbours::replace_one}, *bits);
  user_level::RunCounts counts;
  const Release release = user_erm(problem, options, meter, &counts);
  return {release.parameters.value(), static_cast<double>(counts.gradients)};
}

inline Outcome sgd(const Problem& problem, const Size& size) {
  user_level::SgdOptions options;
  options.common.target = Approx{size.epsilon, delta};
  options.common.clip_norm = 1.5 / std::sqrt(static_cast<double>(size.records));
  options.common.radius = size.radius;
  options.common.threads = 1;
  options.records_per_user = static_cast<std::int64_t>(size.records);
  const auto bits = noise::system_bits();
  RootMeter meter({options.common.target, Unit::user, Neighbours::zero_out}, *bits);
  const Release release = user_sgd(problem, options, meter);
  return {release.parameters.value(),
          release.certificate.options.number("epochs") * static_cast<double>(problem.data->size())};
}

// Item-level DP-SGD at what group privacy leaves for each of m records.
inline Outcome group(const Problem& problem, const Size& size) {
  clipping::Options options;
  options.target = item_target({size.epsilon, delta}, size.records);
  options.clip_norm = 1;
  options.radius = size.radius;
  options.threads = 1;
  const auto bits = noise::system_bits();
  RootMeter meter({options.target, Unit::item, Neighbours::zero_out}, *bits);
  const Release release = dp_sgd(problem, options, meter);
  return {release.parameters.value(),
          release.certificate.options.number("epochs") * static_cast<double>(problem.data->size())};
}

struct Contestant {
  std::string name;
  std::function<Outcome(const Problem&, const Size&)> fit;
  Link link{LinkKind::logistic, 0};
  Theory theory;
};

inline std::vector<Contestant> contestants() {
  const auto all = [](const Problem& p, const Size& s) { return erm(p, s, false); };
  return {{"user-phased", phased, {LinkKind::logistic, 0}, linear_time()},
          {"user-erm", all, {LinkKind::logistic, 0}, optimal_risk()},
          {"user-erm, samples",
           [](const Problem& p, const Size& s) { return erm(p, s, true); },
           {LinkKind::logistic, 0},
           optimal_risk()},
          {"user-erm, hinge smoothed", all, Link{LinkKind::hinge, 0}, optimal_risk()},
          {"user-sgd", sgd},
          {"group privacy", group}};
}

inline Vector without_privacy(const Dataset& data, const Link& link) {
  const Problem problem{.data = &data, .loss = link, .intercept = 0};
  const auto bits = noise::system_bits();
  RootMeter meter({NoPrivacy{}}, *bits);
  return plain::fit(problem, {.threads = 1}, meter).parameters.value();
}

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

inline void synthetic(const Paths& paths) {
  const Dataset population = draw(40000, 1, 1);
  std::map<LinkKind, double> best;
  for (const Contestant& who : contestants())
    best[who.link.kind] = mean_loss(population, who.link, without_privacy(population, who.link));
  std::vector<Line> lines;
  for (const Contestant& who : contestants())
    lines.push_back({who.name, who.theory, [who, &population, &best](const Size& size) {
                       return run(who, size, population, best[who.link.kind]);
                     }});
  measure_axes(paths, "synthetic", "user_level_", lines, {});
}

}  // namespace experiment
