#include "../rows.hpp"
#include "parts.hpp"
#include "tacit/algorithm/posterior/asap.hpp"
#include "tacit/algorithm/posterior/exact.hpp"
#include "tacit/sampler/exact.hpp"

namespace tacit::inline v1 {

namespace {

std::string cannot_sample(const Shape& shape) {
  if (const std::string why = needs_linear_model(shape); !why.empty()) return why;
  return sampler::can_sample(shape.loss) ? "" : "it does not sample softmax and poisson";
}

}  // namespace

Method posterior_exact_method() {
  return {
      .name = "posterior-exact",
      .notions = {"pure", "gaussian"},
      .unit = "item",
      .paper = "Lin24",
      .summary = "exact samples of the Gibbs posterior of the limited loss, by rejection",
      .assumes = "nothing",
      .options = posterior::option_specs(),
      .unsuitable = cannot_sample,
      .fit = [](const Problem& problem, const Facts& options,
                Meter& meter) { return posterior::exact(problem, posterior::Options::from(options), meter); },
      .rebuild_steps =
          [](const Facts& options, const Facts& assumed_public) {
            return posterior::plan_exact(
                       heavy_tails::shape_from(assumed_public),
                       posterior::Options::from(posterior::with_bounds(options, assumed_public)))
                .steps();
          }};
}

Method asap_mala_method() {
  return {
      .name = "asap-mala",
      .notions = {"pure", "gaussian"},
      .unit = "item",
      .paper = "Lin24",
      .summary =
          "posterior samples by Langevin chains and a little noise: the paper's own route, as a reference",
      .assumes = std::string(posterior::mixing_assumption),
      .options = posterior::asap_option_specs(),
      .unsuitable = cannot_sample,
      .fit =
          [](const Problem& problem, const Facts& options, Meter& meter) {
            return posterior::asap(problem, posterior::AsapOptions::from(options), meter);
          },
      .rebuild_steps =
          [](const Facts& options, const Facts& assumed_public) {
            return posterior::plan_asap(
                       heavy_tails::shape_from(assumed_public),
                       posterior::AsapOptions::from(posterior::with_bounds(options, assumed_public)))
                .all_steps();
          }};
}

}  // namespace tacit::inline v1
