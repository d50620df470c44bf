#include "../rows.hpp"
#include "tacit/algorithm/posterior/exact.hpp"
#include "tacit/sampler/exact.hpp"

namespace tacit::inline v1 {

Method posterior_exact_method() {
  return {
      .name = "posterior-exact",
      .notions = {"pure", "gaussian"},
      .unit = "item",
      .paper = "Lin24",
      .summary = "exact samples of the Gibbs posterior of the limited loss, by rejection",
      .assumes = "nothing",
      .options = posterior::option_specs(),
      .unsuitable =
          [](const Shape& shape) {
            if (!sampler::can_sample(shape.loss))
              return std::string("it has no proved envelope for softmax and poisson");
            return needs_linear_model(shape);
          },
      .fit = [](const Problem& problem, const Facts& options,
                Meter& meter) { return posterior::exact(problem, posterior::Options::from(options), meter); },
      .rebuild_steps =
          [](const Facts& options, const Facts& assumed_public) {
            Facts all = options;
            for (const auto& [key, value] : assumed_public.entries())
              if (key == "row_norm_bound" || key == "label_bound") all.set(key, value);
            return posterior::plan_exact(heavy_tails::shape_from(assumed_public),
                                         posterior::Options::from(all))
                .steps();
          }};
}

}  // namespace tacit::inline v1
