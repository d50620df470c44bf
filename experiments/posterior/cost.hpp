#pragma once

#include <ctime>
#include <random>

#include "algorithm/posterior/asap.hpp"
#include "algorithm/posterior/exact.hpp"
#include "common.hpp"
#include "experiments/support/lin24.hpp"
#include "sampler/mala.hpp"
#include "tacit/root_meter.hpp"
#include "wine.hpp"

// What a sample costs: exact sampling against the steps that chains would take. The unit of time is one step
// of a chain on the same data, in the same run.

namespace experiment {

// Rows of norm 1, and labels that a rule explains in part.
inline Dataset made_records(std::size_t records, std::size_t features) {
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  DenseRows rows{records, features, std::vector<double>(records * features)};
  Dataset data;
  for (std::size_t i = 0; i < records; ++i) {
    Eigen::Map<Vector> row(rows.values.data() + i * features, static_cast<Eigen::Index>(features));
    for (double& x : row) x = normal(random);
    row.normalize();
    data.labels.push_back(4 * row.sum() + normal(random) > 0 ? 1 : -1);
  }
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::numeric;
  return data;
}

// Of the processor, which other programs on the machine do not lengthen.
template <class F>
double seconds(F&& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

inline double seconds_of_a_step(const Problem& problem, const posterior::AsapPlan& plan) {
  const std::uint64_t steps = std::max<std::uint64_t>(20, 4000000 / problem.data->size());
  const Vector zero = Vector::Zero(static_cast<Eigen::Index>(shape_of(problem).parameters()));
  sampler::ConstrainedMala mala({.problem = &problem,
                                 .limits = plan.limits,
                                 .inverse_temperature = plan.inverse_temperature,
                                 .strength = plan.strength,
                                 .center = zero,
                                 .radius = plan.ball},
                                zero, {plan.step_size, steps, 1 / std::sqrt(2 * plan.smoothness)});
  const auto bits = noise::system_bits();
  return seconds([&] { mala.chain(*bits); }) / static_cast<double>(steps);
}

struct Case {
  std::string name;
  Problem problem;
  heavy_tails::Options limits;
};

inline std::string cost_row(const Case& one, const Guarantee& budget) {
  const Shape shape = shape_of(one.problem);
  const auto plan = posterior::plan_asap(shape, chain_options(one.limits, budget, 1000));
  // The paper's three parts cost the same.
  const bool pure = std::holds_alternative<Pure>(budget);
  const double size = pure ? std::get<Pure>(budget).epsilon : std::get<Gaussian>(budget).mu;
  const auto table = posterior::lin24_table3(
      {static_cast<double>(shape.records), plan.limits.slope, plan.limits.curvature + plan.regularisation,
       plan.regularisation, shape.parameters(),
       pure ? Guarantee(Pure{size / 3}) : Guarantee(Gaussian{size / std::sqrt(3.0)})});
  const auto bits = noise::system_bits();
  std::vector<double> ratios;  // of ten samples, each to the steps after it
  for (int k = 0; k < 10; ++k) {
    RootMeter meter({budget, Unit::item, Neighbours::replace_one}, *bits);
    const double sample =
        seconds([&] { posterior::exact(one.problem, exact_options(one.limits, budget), meter); });
    const double step = seconds_of_a_step(one.problem, plan);
    ratios.push_back(sample / step);
    fmt::print(stderr, "{}: a sample {:.2f} s, a step {:.2g} s\n", one.name, sample, step);
  }
  const Mean found = mean_of(ratios);
  return fmt::format("| {} | {} = {:g} | {:.3g} | {:.0f} ± {:.1g} | {:.2g} | {:.2g} |\n", one.name,
                     pure ? "ε" : "μ", size, plan.smoothness / plan.strength, found.value, found.error,
                     table.steps, plan.theorem_steps);
}

inline void cost(const Paths& paths) {
  std::string table =
      "| data | budget | κ | an exact sample takes the time of … steps | steps by Table 3 | steps of "
      "`asap-mala` |\n"
      "|---|---|---|---|---|---|\n";
  const std::vector<Wine> wines = {read_wine(paths, "red", 100), read_wine(paths, "white", 32)};
  const Dataset million = made_records(1000000, 11);
  std::vector<Case> cases;
  for (const Wine& wine : wines) cases.push_back({"Wine " + wine.name, wine.problem(), limits_of(wine)});
  cases.push_back({"made, d = 11, n = 1e6",
                   {.data = &million, .loss = Link{LinkKind::logistic, 0}, .intercept = 0},
                   {.regularisation = 0.003, .row_norm_bound = 1.0, .threads = 1}});
  for (const Case& one : cases)
    for (const Guarantee& budget : {Guarantee(Pure{1}), Guarantee(Gaussian{1})})
      table += cost_row(one, budget);
  publish(paths, "cost", table);
}

}  // namespace experiment
