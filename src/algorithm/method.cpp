#include "tacit/algorithm/method.hpp"

#include "tacit/algorithm/heavy_tails/limited_objective.hpp"
#include "tacit/algorithm/heavy_tails/limited_output.hpp"
#include "tacit/algorithm/plain.hpp"
#include "tacit/algorithm/tuning.hpp"
#include "tacit/core/error.hpp"

namespace tacit::inline v1 {

namespace {

std::string suits_every_loss(const Shape&) { return {}; }

// Facts of a certificate as the options that produced it.
heavy_tails::Options certified_options(const Facts& options, const Facts& assumed_public) {
  Facts all = options;
  for (const auto& [key, value] : assumed_public.entries())
    if (key == "row_norm_bound" || key == "label_bound") all.set(key, value);
  return heavy_tails::Options::from(all);
}

Method limited_objective_method() {
  return {.name = "limited-objective",
          .notion = "pure",
          .unit = "item",
          .paper = "Lowy26",
          .summary =
              "objective perturbation of the slope- and curvature-limited loss; the default for pure epsilon",
          .assumes = "nothing",
          .options = heavy_tails::option_specs(),
          .unsuitable = suits_every_loss,
          .fit =
              [](const Problem& problem, const Facts& options, Meter& meter) {
                return heavy_tails::limited_objective(problem, heavy_tails::Options::from(options), meter);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                const auto plan = heavy_tails::plan_limited_objective(
                    heavy_tails::shape_from(assumed_public), certified_options(options, assumed_public));
                return std::vector<Step>{plan.perturbation, plan.erasure};
              }};
}

Method limited_output_method() {
  return {.name = "limited-output",
          .notion = "pure",
          .unit = "item",
          .paper = "Lowy26",
          .summary = "isotropic Laplace noise on the certified minimiser of the slope-limited loss",
          .assumes = "nothing",
          .options = heavy_tails::option_specs(),
          .unsuitable = suits_every_loss,
          .fit =
              [](const Problem& problem, const Facts& options, Meter& meter) {
                return heavy_tails::limited_output(problem, heavy_tails::Options::from(options), meter);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                const auto plan = heavy_tails::plan_limited_output(
                    heavy_tails::shape_from(assumed_public), certified_options(options, assumed_public));
                return std::vector<Step>{plan.release};
              }};
}

Method tuned_method() {
  return {
      .name = "tuned",
      .notion = "pure",
      .unit = "item",
      .paper = "",
      .summary =
          "private choice among settings of the other pure-DP methods, by a noisy score on held-out records",
      .assumes = "nothing",
      .options = {{"settings", OptionKind::text, "METHOD:option=number,…; METHOD:…", "at least one",
                   "limited-objective at radius 3, 10 and 30"},
                  {"validation", OptionKind::number, "share of the records that score and do not fit",
                   "between 0 and 1", "0.2"},
                  {"mean-runs", OptionKind::number, "mean of the hidden number of runs", "1 to 1e6",
                   "four for each setting"}},
      .unsuitable = suits_every_loss,
      .fit = [](const Problem& problem, const Facts& options,
                Meter& meter) { return tuning::fit(problem, tuning::Options::from(options), meter); },
      .rebuild_steps = tuning::rebuild_steps};
}

Method plain_method() {
  return {.name = "plain",
          .notion = "none",
          .unit = "item",
          .paper = "",
          .summary = "regularised empirical risk minimisation without privacy (--epsilon inf)",
          .assumes = "nothing is promised",
          .options = {{"regularisation", OptionKind::number,
                       "strength of the pull towards 0, per record (lambda)", "> 0", "1e-8"},
                      {"tolerance", OptionKind::number, "gradient left at the end, relative to the start",
                       "between 0 and 1", "1e-10"}},
          .unsuitable = suits_every_loss,
          .fit = [](const Problem& problem, const Facts& options,
                    Meter& meter) { return plain::fit(problem, plain::Options::from(options), meter); },
          .rebuild_steps = [](const Facts&, const Facts&) { return std::vector<Step>{}; }};
}

}  // namespace

std::span<const Method> methods() {
  static const std::vector<Method> table = {limited_objective_method(), limited_output_method(),
                                            tuned_method(), plain_method()};
  return table;
}

const Method& find_method(std::string_view name) {
  std::string names;
  for (const Method& method : methods()) {
    if (method.name == name) return method;
    names += (names.empty() ? "" : ", ") + method.name;
  }
  throw_error<UsageError>("unknown method \"{}\", expected one of {}", name, names);
}

}  // namespace tacit::inline v1
