#include "algorithm/heavy_tails/centered_solvers.hpp"

#include "algorithm/heavy_tails/double_output.hpp"
#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/limited_output.hpp"
#include "algorithm/heavy_tails/net_exponential.hpp"
#include "algorithm/partition.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

CenteredPlan releasing(std::vector<Step> steps) {
  const double grid = steps.back().grid;
  return {std::move(steps), grid};
}

CenteredSolver by_limited_output() {
  return {"limited-output",
          [](const Shape& shape, const Options& options) {
            return plan_limited_output(shape, options).regularisation;
          },
          [](const Shape& shape, const Options& options, double center_bound) {
            return releasing({plan_limited_output(shape, options, center_bound).release});
          },
          limited_output_around, true};
}

// It takes the rows for the places.
Released<Vector> objective_with_null_rows(const Vector& center, double center_bound, const Problem& problem,
                                          const Options& options, Meter& meter) {
  if (problem.data->size() == public_shape(problem, options).records)
    return limited_objective_around(center, center_bound, problem, options, meter);
  const Dataset places = with_null_rows(*problem.data, static_cast<std::size_t>(*options.records));
  Problem filled = problem;
  filled.data = &places;
  return limited_objective_around(center, center_bound, filled, options, meter);
}

CenteredSolver by_limited_objective() {
  return {"limited-objective",
          [](const Shape& shape, const Options& options) {
            return plan_limited_objective(shape, options).regularisation;
          },
          [](const Shape& shape, const Options& options, double center_bound) {
            const ObjectivePlan plan = plan_limited_objective(shape, options, center_bound);
            return releasing({plan.perturbation, plan.cover});
          },
          objective_with_null_rows};
}

CenteredSolver by_double_output() {
  return {"double-output",
          [](const Shape& shape, const Options& options) {
            return plan_double_output(shape, options).regularisation;
          },
          [](const Shape& shape, const Options& options, double center_bound) {
            const DoublePlan plan = plan_double_output(shape, options, center_bound).noise;
            return releasing({plan.localisation, plan.release});
          },
          double_output_around, true};
}

CenteredSolver by_net() {
  return {
      "net-exponential",
      [](const Shape& shape, const Options& options) {
        return plan_net_exponential(shape, options).regularisation;
      },
      [](const Shape& shape, const Options& options, double center_bound) {
        const NetPlan plan = plan_net_around(shape, options, center_bound);
        return representable(plan, center_bound) ? CenteredPlan{{plan.choice}, plan.grid} : CenteredPlan{};
      },
      net_exponential_around};
}

}  // namespace

std::span<const CenteredSolver> centered_solvers() {
  static const std::vector<CenteredSolver> table = {by_limited_output(), by_limited_objective(),
                                                    by_double_output(), by_net()};
  return table;
}

const CenteredSolver& find_centered_solver(std::string_view name) {
  std::string names;
  for (const CenteredSolver& solver : centered_solvers()) {
    if (solver.name == name) return solver;
    names += (names.empty() ? "" : ", ") + solver.name;
  }
  throw_error<UsageError>("unknown solver \"{}\", expected one of {}", name, names);
}

}  // namespace tacit::inline v1::heavy_tails
