#include "algorithm/posterior/asap.hpp"

#include <cmath>

#include "algorithm/posterior/parts.hpp"
#include "noise/approximate_sample.hpp"
#include "sampler/mala.hpp"
#include "solver/certified.hpp"

namespace tacit::inline v1::posterior {

namespace {

// [Lin24, Alg. 1] on the ball around θ₀, from chains that start around the certified minimiser.
sampler::ConstrainedMala chains(const Problem& problem, const Shape& shape, const AsapPlan& plan,
                                const Vector& center, unsigned threads) {
  const Vector zero = Vector::Zero(center.size());
  const double strength = static_cast<double>(shape.records) * plan.regularisation;
  LimitedObjective objective(problem, plan.limits, {.strength = strength, .center = zero}, zero, 0, threads);
  return {{.problem = &problem,
           .limits = plan.limits,
           .inverse_temperature = plan.inverse_temperature,
           .strength = plan.strength,
           .center = center,
           .radius = plan.ball},
          minimise(objective, {}).point,
          {.step_size = plan.step_size,
           .steps = static_cast<std::uint64_t>(plan.steps),
           .start_scale = 1 / std::sqrt(2 * plan.smoothness)}};
}

}  // namespace

// Notation [Lin24, Alg. 3]: B = ball, Δ = distance.
Release asap(const Problem& problem, const AsapOptions& options, Meter& meter) {
  validate(problem);
  require_no_weights(problem, "asap-mala");
  heavy_tails::require_relation(options.limits, meter);
  const Shape shape = heavy_tails::public_shape(problem, options.limits);
  const AsapPlan plan = plan_asap(shape, options);
  const std::vector<std::string> assumptions = asap_assumptions(plan, options);

  // 1. Localise [Alg. 4]: θ₀, onto the ball that no minimiser leaves.
  const Released<Vector> center =
      localize(problem, shape, plan.limits, plan.regularisation, plan.projection_radius, plan.localisation,
               options.limits.threads, meter)
          .map(onto_ball, Public(plan.center_radius));

  // 2. Sample p ∝ exp(−γJ) on the ball of radius B around it [Alg. 1], K times; each is charged first.
  // 3. Cover the chain's distance Δ by noise [Alg. 2].
  std::optional<sampler::ConstrainedMala> mala;
  const auto draw = [&](BitSource& bits) {
    if (!mala) mala.emplace(chains(problem, shape, plan, center.value(), options.limits.threads));
    return mala->draw(bits);
  };
  const auto cover = [&](const Ideal<Vector>& sample) {
    return is_pure(plan.cover) ? noise::cover(sample, std::get<Pure>(plan.cover), plan.range, meter)
                               : noise::cover(sample, std::get<Gaussian>(plan.cover), plan.range, meter);
  };
  std::vector<Released<Vector>> samples;
  for (std::size_t k = 0; k < plan.samples; ++k)
    samples.push_back(
        cover(noise::sample_approximately(plan.sample, plan.distance, assumptions.front(), draw, meter)));

  // 4. Onto the domain.
  project_onto(problem.domain, samples);

  std::vector<std::string> all_assumptions = assumptions;
  for (std::string& each : heavy_tails::count_assumptions(options.limits.neighbours, shape.records))
    all_assumptions.push_back(std::move(each));
  Release release{samples.back(), certify("asap-mala", meter, certified_options(plan, options),
                                          heavy_tails::public_facts(shape, options.limits), all_assumptions)};
  release.center = center;
  if (plan.samples > 1) release.samples = std::move(samples);
  return release;
}

}  // namespace tacit::inline v1::posterior
