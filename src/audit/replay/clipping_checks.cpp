#include "audit/replay/clipping_checks.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "algorithm/clipping/dp_gd.hpp"
#include "algorithm/clipping/dp_sgd.hpp"

namespace tacit::inline v1::audit {

namespace {

// What the certificate stands for: the public number of records is among its facts, not its options.
Shape certified_shape(const Replayed& replayed) {
  Shape shape = shape_of(replayed.problems[0]);
  shape.records =
      static_cast<std::size_t>(replayed.runs[0].release->certificate.assumed_public.integer("records"));
  return shape;
}

Facts certified_options(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  Facts options = certificate.options;
  options.set("records", certificate.assumed_public.integer("records"));
  return options;
}

using SumsOf = std::function<BatchSums(const Problem& problem)>;

Vector sum_of_all(const Problem& problem, const SumsOf& sums_of, const Vector& w) {
  std::vector<std::uint32_t> all(problem.data->size());
  std::iota(all.begin(), all.end(), 0u);
  Vector sum;
  sums_of(problem)(w, all, sum);
  return sum;
}

// How far the sum over all records moves, at parameters of all sizes.
Check movement_of_sums(const Replayed& replayed, const SumsOf& sums, double allowed) {
  const Eigen::Index size = static_cast<Eigen::Index>(shape_of(replayed.problems[0]).parameters());
  std::mt19937_64 random(1);
  std::normal_distribution<> normal;
  double furthest = 0;
  for (const double scale : {0.0, 1e-3, 1.0, 1e3, 1e8, 1e30}) {
    const Vector w = Vector::NullaryExpr(size, [&] { return scale * normal(random); });
    const Vector gap = sum_of_all(replayed.problems[0], sums, w) - sum_of_all(replayed.problems[1], sums, w);
    furthest = gap.hasNaN() ? std::numeric_limits<double>::infinity() : std::max(furthest, gap.stableNorm());
  }
  return {CheckKind::movement, "how far the sum of clipped gradients moves, at any parameters", "", allowed,
          furthest};
}

}  // namespace

std::vector<Check> clipping_checks(const Replayed& replayed) {
  const clipping::Plan plan =
      clipping::plan_dp_sgd(certified_shape(replayed), clipping::Options::from(certified_options(replayed)));
  const auto sums = [&](const Problem& problem) { return clipped_sums(problem, plan.clip, 1); };
  return {movement_of_sums(replayed, sums, plan.sensitivity.total())};
}

std::vector<Check> descent_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  const clipping::GdPlan plan =
      clipping::plan_dp_gd(certified_shape(replayed), clipping::GdOptions::from(certified_options(replayed)));
  // √T·sensitivity/sigma is what T Gaussian mechanisms cost together.
  const Step& step = certificate.steps.front();
  const double steps = certificate.options.number("steps");
  const auto sums = [&](const Problem& problem) { return clipping::descent_sums(problem, plan, 1); };
  return {movement_of_sums(replayed, sums, step.sensitivity.total()),
          {CheckKind::account, "the noise of all steps together, within what is charged", "",
           std::get<GaussianEvent>(step.event).mu,
           std::sqrt(steps) * step.sensitivity.total() / step.scale * (1 - 1e-14)}};
}

}  // namespace tacit::inline v1::audit
