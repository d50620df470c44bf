// [Lowy26, Alg. 2 and 4] for any convex loss.

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>

#include "algorithm/heavy_tails/double_plan.hpp"
#include "algorithm/onto_domain.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

constexpr double tail = 3;  // ζ of Alg. 4: the ball holds the minimiser with probability ≥ 1 − e^−ζ

// The radius that keeps the minimiser with probability 1 − e^−ζ: ‖b‖/scale is Gamma(d), and the paper's
// 100ζCd/(λn(ε/2)) is far above its quantile. [utility only: privacy does not use it]
double local_radius(const Step& localisation, double distance, double size) {
  const boost::math::gamma_distribution<double> law(static_cast<double>(localisation.dimension));
  const double quantile = boost::math::quantile(boost::math::complement(law, std::exp(-tail)));
  // Far below the domain's size double arithmetic could not tell the ball from its center.
  return std::max(distance + localisation.scale * quantile, 0x1p-30 * size);
}

Vector onto_grid(const Vector& x, double grid) { return (x / grid).array().round() * grid; }

}  // namespace

DoublePlan plan_noise(const Sensitivity& first, const Sensitivity& second, double size, double epsilon,
                      std::size_t dimension, Neighbours neighbours) {
  DoublePlan plan;
  plan.neighbours = neighbours;
  plan.range = size;
  // Two releases of ε/2 [Alg. 4], a little less so that their rounded sum fits.
  const auto planned = [&](const Sensitivity& sensitivity) {
    const double scale = noise::scale_for(sensitivity, Pure{epsilon / 2 * (1 - 1e-12)});
    return noise::plan_isotropic_laplace(sensitivity, scale, size, dimension);
  };
  plan.localisation = planned(first);
  plan.release = planned(second);
  plan.local_radius = local_radius(plan.localisation, first.slack / 2, size);
  return plan;
}

// Exact minimisers over a fixed set move by ≤ 2C/(λn) [Lowy26, App. D.1], by ≤ C/(λn) if one record is null;
// a point whose objective is within α of the least is within √(2α/λ) of the minimiser.
Sensitivity extension_sensitivity(double lipschitz, double regularisation, double records, double accuracy,
                                  Neighbours neighbours) {
  const bool replaced = neighbours == Neighbours::replace_one;
  return {.value = div_up(shift_of(lipschitz, neighbours), mul_down(regularisation, records)),
          .slack = mul_up(2, sqrt_up(div_up(mul_up(2, accuracy), regularisation))),
          .norm = Norm::l2,
          .reason = fmt::format(
              "minimisers of lambda-strongly convex means that differ by one C-Lipschitz record{} move by <= "
              "{}C/(n lambda); slack: twice sqrt(2 accuracy/lambda) of the certified accuracy",
              replaced ? "" : ", which is there or null,", replaced ? "2" : "")};
}

DoublePlan plan_extension(const ExtensionSetting& setting, const LossSizes& sizes, const DoubleBudget& budget,
                          CountIterations count) {
  const auto m = static_cast<double>(sizes.records);
  const double c = setting.lipschitz, lambda = setting.regularisation, size = largest_norm(setting.domain);
  // α = C²/(2λm²) [Alg. 2, line 1], C²/(72λm²) [Alg. 4, line 1]
  const double unit = c * c / (lambda * m * m), first = unit / 2, second = unit / 72;
  const auto moved = [&](double accuracy) {
    return extension_sensitivity(c, lambda, m, accuracy, budget.neighbours);
  };
  DoublePlan plan =
      plan_noise(moved(first), moved(second), size, budget.epsilon, sizes.dimension, budget.neighbours);
  plan.first_accuracy = first;
  plan.second_accuracy = second;
  // The bound depends on W₀ through its radius alone.
  ExtensionSetting local = setting;
  local.local = Ball{setting.center, plan.local_radius};
  const IterationBound bounds[] = {count(setting, sizes, first), count(local, sizes, second)};
  plan.first_iterations = bounds[0].iterations;
  plan.second_iterations = bounds[1].iterations;
  if (const double most = std::max(plan.first_iterations, plan.second_iterations);
      most > budget.iteration_limit)
    throw_error<InfeasibleError>(
        "the certified accuracy {:.3g} may need {:.3g} iterations, the limit is {:.3g} (n = {}, C = {:.3g}, "
        "lambda = {:.3g}, gradient bound {:.3g}); take fewer records, a larger iteration-limit, or oracle = "
        "limited",
        second, most, budget.iteration_limit, sizes.records, c, lambda, sizes.lipschitz);
  for (const IterationBound& bound : bounds)
    if (!bound.too_coarse.empty()) throw_error<InfeasibleError>("{}", bound.too_coarse);
  return plan;
}

DoublePlan plan_double_perturbation(const ExtensionSetting& setting, const LossSizes& sizes,
                                    const DoubleBudget& budget) {
  return plan_extension(setting, sizes, budget, subgradient_iterations);
}

Released<Vector> perturb_twice(const Domain& domain, const LocalMinimiser& minimise, const DoublePlan& plan,
                               Meter& meter) {
  // Alg. 2, lines 1–3: w_loc = Π_W(w̃ + b).
  const Sensitive<Vector> first(minimise(std::nullopt), plan.localisation.sensitivity, plan.neighbours);
  const Released<Vector> center =
      onto_domain(noise::isotropic_laplace(first, plan.localisation.scale, plan.range, meter), domain);

  // Alg. 2, line 4: W₀ = W ∩ B(w_loc, r), from released and public values alone.
  const Ball ball{center.value(), plan.local_radius};

  // Alg. 4, lines 3–4: an accurate minimiser over W₀, and noise.
  const Sensitive<Vector> second(minimise(ball), plan.release.sensitivity, plan.neighbours);
  const Released<Vector> noisy = noise::isotropic_laplace(second, plan.release.scale, plan.range, meter);

  // Line 5: onto W₀, and onto the grid of the last release. Post-processing.
  const LocalDomain local(domain, ball);
  return noisy.map([](const Vector& x, const LocalDomain& set,
                      double grid) { return onto_grid(set.project(x).point, grid); },
                   Public(local), Public(plan.release.grid));
}

Released<Vector> double_perturbation(const ExtensionSetting& setting, const ConvexLossRef& loss,
                                     const DoublePlan& plan, Meter& meter) {
  Options run;
  run.neighbours = plan.neighbours;
  require_places(run, meter);
  const auto minimise = [&](const std::optional<Ball>& local) {
    ExtensionSetting here = setting;
    here.local = local;
    return minimise_extension(here, loss, local ? plan.second_accuracy : plan.first_accuracy).point;
  };
  return perturb_twice(setting.domain, minimise, plan, meter);
}

}  // namespace tacit::inline v1::heavy_tails
