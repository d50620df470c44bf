#include "tacit/algorithm/plain.hpp"

#include <cmath>
#include <limits>

#include "rows.hpp"
#include "tacit/algorithm/heavy_tails/options.hpp"
#include "tacit/core/error.hpp"
#include "tacit/noise/mechanisms.hpp"
#include "tacit/solver/certified.hpp"

namespace tacit::inline v1::plain {

void Options::validate() const {
  if (!(regularisation > 0 && std::isfinite(regularisation)))
    throw_error<UsageError>("regularisation is {}, expected a finite number > 0", regularisation);
  if (!(tolerance > 0 && tolerance < 1))
    throw_error<UsageError>("tolerance is {}, expected between 0 and 1", tolerance);
}

Options Options::from(const Facts& facts) {
  Options options;
  if (facts.has("regularisation")) options.regularisation = facts.number("regularisation");
  if (facts.has("tolerance")) options.tolerance = facts.number("tolerance");
  if (facts.has("threads")) options.threads = static_cast<unsigned>(facts.integer("threads"));
  options.validate();
  return options;
}

Release fit(const Problem& problem, const Options& options, Meter& meter) {
  tacit::validate(problem);
  const Shape shape = shape_of(problem);
  const auto p = static_cast<Eigen::Index>(shape.parameters());
  constexpr double none = std::numeric_limits<double>::infinity();
  // A kink gets a corner much narrower than any difference in score that matters.
  constexpr double corner_curvature = 1e4;
  const auto* link = std::get_if<Link>(&shape.loss);
  const bool kinked = link && link->kind != LinkKind::poisson && std::isinf(facts(*link).curvature);

  LimitedObjective objective(
      problem,
      {.slope = none, .curvature = kinked ? corner_curvature * static_cast<double>(shape.features) : none},
      {.strength = options.regularisation * static_cast<double>(shape.records),
       .center = Vector::Zero(p),
       .intercept_free = true},
      Vector::Zero(p), none, options.threads);
  const Certified solution = minimise(objective, {.relative_tolerance = options.tolerance});
  const Sensitive<Vector> minimiser(solution.point, {.value = none, .reason = "released as it is"},
                                    meter.budget().neighbours);
  Released<Vector> w = noise::open(minimiser, meter);

  Facts certified;
  certified.set("regularisation", options.regularisation);
  return {std::move(w), certify("plain", meter, std::move(certified), heavy_tails::public_facts(shape, {}))};
}

}  // namespace tacit::inline v1::plain

namespace tacit::inline v1 {

Method plain_method() {
  return {.name = "plain",
          .notions = {"none"},
          .unit = "item",
          .paper = "",
          .summary = "regularised empirical risk minimisation without privacy (--epsilon inf)",
          .assumes = "nothing is promised",
          .options = {{"regularisation", OptionKind::number,
                       "strength of the pull towards 0, per record (lambda)", "> 0", "1e-8"},
                      {"tolerance", OptionKind::number, "gradient left at the end, relative to the start",
                       "between 0 and 1", "1e-10"}},
          .unsuitable = [](const Shape&) { return std::string(); },
          .fit = [](const Problem& problem, const Facts& options,
                    Meter& meter) { return plain::fit(problem, plain::Options::from(options), meter); },
          .rebuild_steps = [](const Facts&, const Facts&) { return std::vector<Step>{}; }};
}

}  // namespace tacit::inline v1
