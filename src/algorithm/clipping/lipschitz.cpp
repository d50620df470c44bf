#include "algorithm/clipping/lipschitz.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "tacit/core.hpp"

namespace tacit::inline v1::clipping {

double lipschitz_factor(const LossSpec& loss) {
  if (std::holds_alternative<Softmax>(loss)) return std::numbers::sqrt2;
  if (const auto* link = std::get_if<Link>(&loss)) return facts(*link).slope;
  return std::numeric_limits<double>::infinity();
}

std::vector<double> lipschitz_constants(const Problem& problem) {
  const double factor = lipschitz_factor(problem.loss);
  if (!std::isfinite(factor))
    throw_error<UsageError>("the gradients of this loss have no bound that holds for all parameters");
  const Features& features = problem.data->features;
  std::vector<double> constants(features.rows());
  RowRoom room;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const RowView row = features.row(i, room);
    double squares = problem.intercept * problem.intercept;
    for (std::size_t j = 0; j < row.size; ++j) squares += row.values[j] * row.values[j];
    constants[i] = factor * std::sqrt(squares);
  }
  return constants;
}

}  // namespace tacit::inline v1::clipping
