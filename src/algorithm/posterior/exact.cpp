#include "algorithm/posterior/exact.hpp"

#include <fmt/format.h>

#include "algorithm/posterior/parts.hpp"
#include "sampler/exact.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::posterior {

Release exact(const Problem& problem, const Options& options, Meter& meter) {
  validate(problem);
  require_no_weights(problem, "posterior-exact");
  heavy_tails::require_relation(options.limits, meter);
  const Shape shape = heavy_tails::public_shape(problem, options.limits);
  const ExactPlan plan = plan_exact(shape, options);
  if (const std::string what = long_work(shape, plan.acceptance, plan.samples); !what.empty())
    announce(fmt::format("Warning: {}.", what));

  // 1. Localise: θ₀, and the ball around it.
  const auto p = static_cast<Eigen::Index>(shape.parameters());
  std::optional<Released<Vector>> center;
  if (plan.localisation)
    center = localize(problem, shape, plan.limits, plan.regularisation, plan.projection_radius,
                      *plan.localisation, options.limits.threads, meter);

  // 2. p ∝ exp(−γJ) on that ball.
  const sampler::Target target{.problem = &problem,
                               .limits = plan.limits,
                               .inverse_temperature = plan.inverse_temperature,
                               .strength = plan.strength,
                               .center = center ? center->value() : Vector(Vector::Zero(p)),
                               .radius = plan.ball};

  // 3. Draw from it exactly, K times; each draw is charged first. The envelope is found once.
  std::optional<sampler::ExactSampler> exact_sampler;
  const auto draw = [&](BitSource& bits) {
    if (!exact_sampler) exact_sampler.emplace(target, options.limits.threads);
    return exact_sampler->draw(plan.sample.grid, bits);
  };
  std::vector<Released<Vector>> samples;
  for (std::size_t k = 0; k < plan.samples; ++k)
    samples.push_back(noise::sample_exactly(plan.sample, draw, meter));

  // 4. Onto the domain.
  project_onto(problem.domain, samples);

  Release release{samples.back(),
                  certify("posterior-exact", meter, certified_options(plan, options),
                          heavy_tails::public_facts(shape, options.limits),
                          heavy_tails::count_assumptions(options.limits.neighbours, shape.records))};
  release.center = std::move(center);
  if (plan.samples > 1) release.samples = std::move(samples);
  return release;
}

}  // namespace tacit::inline v1::posterior
