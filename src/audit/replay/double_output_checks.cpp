#include "audit/replay/double_output_checks.hpp"

#include "algorithm/heavy_tails/double_output.hpp"

namespace tacit::inline v1::audit {

bool extends_the_loss(const Facts& options) {
  using enum heavy_tails::ExtensionOracle;
  return options.has("oracle") &&
         (options.text("oracle") == name(structured) || options.text("oracle") == name(subgradient));
}

std::vector<Check> double_output_checks(const Replayed& replayed) {
  const std::vector<Opened>& opened = replayed.runs[0].opened;
  if (!replayed.subject->adaptive || opened.size() != 2) return {};
  auto options = heavy_tails::Options::from(replayed.subject->facts);
  options.neighbours = replayed.subject->budget.neighbours;
  const auto plan = heavy_tails::plan_double_output(shape_of(replayed.problems[0]), options);
  const Ball whole{Vector::Zero(static_cast<Eigen::Index>(opened[0].value.size())), options.radius};
  const Eigen::Map<const Vector> first(opened[0].value.data(), whole.center.size());
  const Ball ball{project(whole, first).point, plan.noise.local_radius};
  const auto value = [&](const Problem& problem) {
    return heavy_tails::double_output_minimiser(problem, options, plan)(ball);
  };
  return {{CheckKind::movement,
           "step 2 (isotropic-laplace): how far the value moves over one ball, within its sensitivity", "",
           plan.noise.release.sensitivity.total(),
           (value(replayed.problems[0]) - value(replayed.problems[1])).norm()}};
}

}  // namespace tacit::inline v1::audit
