#include "audit/replay/cell_checks.hpp"

#include <cmath>
#include <random>

#include "algorithm/heavy_tails/localized_exponential.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::audit {

namespace {

using heavy_tails::CellOptions;
using heavy_tails::LocalizedExponentialPlan;

std::vector<double> scores_around(const Vector& anchor, const LocalizedExponentialPlan& plan,
                                  const Problem& problem, const CellOptions& options) {
  std::vector<double> scores;
  const auto bits = noise::system_bits();
  RootMeter meter({Pure{options.common.epsilon}, Unit::item, options.common.neighbours}, *bits);
  meter.watch(
      [&](const Step&, std::span<const double> opened) { scores.assign(opened.begin(), opened.end()); });
  heavy_tails::exponential_around(anchor, plan, problem, options, meter);
  return scores;
}

}  // namespace

std::vector<Check> cell_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  if (certificate.steps.empty() || certificate.steps.back().mechanism != "exponential-on-cells")
    return {{CheckKind::outcome, "the last step is a choice on cells", "", 0, 1}};
  CellOptions options = CellOptions::from(replayed.subject->facts);
  options.common.neighbours = replayed.subject->budget.neighbours;
  const LocalizedExponentialPlan plan = plan_localized_exponential(shape_of(replayed.problems[0]), options);
  Check worst{CheckKind::movement,
              "step 2 (exponential-on-cells): how far a score moves at equal anchors, within its sensitivity",
              "", plan.second.sensitivity.total(), 0};
  std::mt19937_64 random(1);  // where to look, not noise
  std::normal_distribution<> normal;
  for (const double size : {0.0, 1e-2, 1.0}) {
    Vector anchor(static_cast<Eigen::Index>(plan.second.dimension));
    for (double& x : anchor) x = size * options.common.radius * normal(random);
    anchor = onto_ball(anchor, options.common.radius);
    for (double& x : anchor) x = plan.second.grid * std::nearbyint(x / plan.second.grid);
    const auto a = scores_around(anchor, plan, replayed.problems[0], options);
    const auto b = scores_around(anchor, plan, replayed.problems[1], options);
    for (std::size_t k = 0; k < a.size(); ++k)
      if (const double moved = std::fabs(a[k] - b[k]); !(moved <= worst.measured)) worst.measured = moved;
  }
  return {worst};
}

}  // namespace tacit::inline v1::audit
