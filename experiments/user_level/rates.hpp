#pragma once

// Exponents in users, records and epsilon, at the sizes where each method's theorem decides; the dimension;
// and the strongly convex variant.

#include "algorithm/user_level/schedule.hpp"
#include "axes.hpp"

namespace experiment {

inline Cell erm_cell(const Size& size) {
  return worst_over_leans([](const Problem& p, const Size& s) { return erm(p, linear_erm(s)); }, size);
}
inline Cell sgd_cell(const Size& size) { return worst_over_leans(sgd, size); }
inline Cell group_cell(const Size& size) { return worst_over_leans(group, size); }
inline Cell phased_cell(const Size& size) {
  return worst_over_leans([](const Problem& p, const Size& s) { return phased(p, phased_options(s)); }, size);
}
inline Outcome phased_by_theorem(const Problem& problem, const Size& size) {
  user_level::PhasedOptions options = phased_options(size);
  options.schedule = user_level::Schedule::theorem;
  return phased(problem, options);
}
// The same with no more groups than a test needs at the least.
inline Outcome phased_in_few_groups(const Problem& problem, const Size& size) {
  user_level::PhasedOptions options = phased_options(size);
  options.schedule = user_level::Schedule::theorem;
  options.groups = static_cast<std::int64_t>(user_level::least_chosen_points(options.target, options.share));
  return phased(problem, options);
}

// Theorem 3.2: 1/√(nm) + √d/(εn√m).
inline void erm_rates(const Paths& paths) {
  const Size like{.users = 2000};
  std::vector<Axis> axes = {along_users({2000, 3500, 6000, 10500}, like),
                            along_records({2, 8, 32, 128}, like), along_epsilon({3, 6, 12, 24}, like)};
  const Exponents theory[] = {{-0.5, -1}, {-0.5, -0.5}, {0, -1}};
  for (std::size_t k = 0; k < axes.size(); ++k)
    axes[k].lines = {{"user-erm", erm_cell, theory[k]}, {"user-sgd", sgd_cell, theory[k]}};
  axes[1].lines.push_back({"group privacy", group_cell, {}});
  measure_axes(paths, "erm_rates", axes);
}

// What the schedule makes least, from public values.
inline double phased_bound_at(const Size& size) {
  user_level::PhasedOptions asked = phased_options(size);
  asked.schedule = user_level::Schedule::theorem;
  const user_level::PhasedOptions chosen = with_schedule(size.users, size.dimension, asked);
  return phased_bound(size.users, size.dimension, static_cast<std::size_t>(*chosen.phases),
                      static_cast<std::size_t>(*chosen.groups), asked)
      .risk;
}

// Theorem 2.1, by its proof: 1/√(nmε) + √(d/(nmε)).
inline void phased_rates(const Paths& paths) {
  const Size like{.users = 8000};
  std::vector<Axis> axes = {along_users({8000, 16000, 32000, 64000}, like),
                            along_records({8, 32, 128, 256}, like), along_epsilon({1.5, 3, 6, 12}, like)};
  const auto by_theorem = [](const Size& size) { return worst_over_leans(phased_by_theorem, size); };
  const auto few = [](const Size& size) { return worst_over_leans(phased_in_few_groups, size); };
  for (Axis& axis : axes) {
    axis.lines = {{"user-phased --schedule theorem", by_theorem, Exponents{-0.5, -0.5}},
                  {"user-phased", phased_cell, {}}};
    axis.bound = phased_bound_at;
  }
  axes[0].lines.push_back({"by the theorem, in the fewest groups", few, {}});
  measure_axes(paths, "phased_rates", axes);
}

inline void dimensions(const Paths& paths) {
  Axis axis = along_dimension({10, 30, 100, 300}, {.users = 1500});
  const auto by_theorem = [](const Size& size) { return worst_over_leans(phased_by_theorem, size); };
  axis.lines = {{"user-erm", erm_cell, Exponents{0, 0.5}},
                {"user-sgd", sgd_cell, Exponents{0, 0.5}},
                {"user-phased --schedule theorem", by_theorem, Exponents{0, 0.5}}};
  measure_axes(paths, "dimensions", {axis});
}

// F(w) = 1 − lean·w_1 + (M/2)‖w‖² over the same ball: its minimiser is lean/M·e_1.
inline Cell strong_cell(const Size& size) {
  constexpr double lean = 0.2, convexity = 0.5;
  Cell cell;
  std::vector<double> excess;
  for (int k = 0; k < draws; ++k) try {
      const Dataset data = draw_linear(size, lean, static_cast<unsigned>(100 + k));
      const Problem problem{.data = &data, .loss = Link{LinkKind::hinge, 0}, .intercept = 0};
      user_level::ErmOptions options = linear_erm(size);
      options.strong_convexity = convexity;
      const Outcome outcome = erm(problem, options);
      const Vector best = Vector::Unit(outcome.w.size(), 0) * (lean / convexity);
      excess.push_back(convexity / 2 * (outcome.w - best).squaredNorm());
      cell.gradients = outcome.gradients;
    } catch (const InfeasibleError&) {
      cell.refused = true;
      return cell;
    }
  cell.excess = spread_of(excess);
  return cell;
}

// Remark 3.6: (1/M)(1/(nm) + d/(ε²n²m)).
inline void strong(const Paths& paths) {
  const Size like{.users = 5000};
  std::vector<Axis> axes = {along_users({2500, 5000, 7000, 10000}, like),
                            along_records({2, 8, 32, 128}, like), along_epsilon({3, 6, 12, 24}, like)};
  const Exponents theory[] = {{-1, -2}, {-1, -1}, {0, -2}};
  for (std::size_t k = 0; k < axes.size(); ++k)
    axes[k].lines = {{"user-erm --strong-convexity 0.5", strong_cell, theory[k]}};
  measure_axes(paths, "strong", axes);
}

}  // namespace experiment
