#include <charconv>
#include <cmath>

#include "../rows.hpp"
#include "tacit/algorithm/clipping/dp_gd.hpp"
#include "tacit/algorithm/heavy_tails/options.hpp"
#include "tacit/core/error.hpp"
#include "tacit/privacy/target_facts.hpp"

namespace tacit::inline v1 {

namespace clipping {

namespace {

// Far beyond any use, and so that no product in the engine can overflow or vanish.
void require_size(double value, std::string_view what) {
  if (!(value >= 1e-30 && value <= 1e30))
    throw_error<UsageError>("{} is {}, expected between 1e-30 and 1e30", what, value);
}

std::optional<double> parse_clip_norm(const std::string& text) {
  if (text == "auto") return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw_error<UsageError>("clip-norm is \"{}\", expected a number > 0 or auto", text);
  return value;
}

}  // namespace

void GdOptions::validate() const {
  tacit::validate(target);
  if (!std::holds_alternative<Approx>(target) && !std::holds_alternative<Gaussian>(target))
    throw_error<UsageError>("dp-gd gives Gaussian or approximate privacy, not a {} guarantee",
                            notion(target));
  if (neighbours == Neighbours::add_remove)
    throw_error<UsageError>("dp-gd divides by the number of records, so it protects replace_one or zero_out");
  if (clip_norm) require_size(*clip_norm, "clip-norm");
  if (step_length) require_size(*step_length, "step");
  if (steps < 1 || steps > 1'000'000'000)
    throw_error<UsageError>("steps is {}, expected between 1 and 1e9", steps);
  if (!(radius >= 0 && radius <= 1e30))
    throw_error<UsageError>("radius is {}, expected between 0 and 1e30", radius);
  if (!(regularisation >= 0)) throw_error<UsageError>("regularisation is {}, expected >= 0", regularisation);
  if (regularisation > 0 && !clip_norm)
    throw_error<UsageError>(
        "a regularisation needs a clip norm in numbers: with auto no learning rate is defined");
}

GdOptions GdOptions::from(const Facts& facts) {
  GdOptions options;
  const auto number = [&](const char* key, double otherwise) {
    return facts.has(key) ? facts.number(key) : otherwise;
  };
  options.target = gaussian_or_approx(facts);
  if (facts.has("neighbours")) options.neighbours = parse_neighbours(facts.text("neighbours"));
  if (facts.has("clip_norm")) options.clip_norm = parse_clip_norm(facts.text("clip_norm"));
  if (facts.has("steps")) options.steps = facts.integer("steps");
  if (facts.has("step")) options.step_length = facts.number("step");
  options.regularisation = number("regularisation", 0);
  options.radius = number("radius", 0);
  if (facts.has("iterate")) options.iterate = parse_iterate(facts.text("iterate"));
  if (facts.has("seed")) options.seed = facts.integer("seed");
  if (facts.has("threads")) options.threads = static_cast<unsigned>(facts.integer("threads"));
  options.validate();
  return options;
}

std::vector<OptionSpec> gd_option_specs() {
  return {
      {"clip-norm", OptionKind::text, "largest length of a record's gradient", "> 0, or auto", "auto"},
      {"steps", OptionKind::integer, "how often all records are seen", "1 to 1e9", "50"},
      {"step", OptionKind::number, "step length eta·tau: how far aligned gradients move the parameters",
       "> 0", "2 for classes, 0.5 for numbers"},
      {"regularisation", OptionKind::number, "strength of the pull towards 0, per record (lambda)",
       ">= 0; needs a clip norm in numbers", "0"},
      {"iterate", OptionKind::text, "what is returned: the mean of the second half, or one iterate",
       "average, last or random", "average"},
      {"radius", OptionKind::number, "keep the parameters in a ball of this radius; 0: do not", ">= 0", "0"},
      {"seed", OptionKind::integer, "of a network's public initial weights", "any", "1"}};
}

}  // namespace clipping

Method dp_gd_method() {
  return {.name = "dp-gd",
          .notions = {"gaussian", "approx"},
          .unit = "item",
          .paper = "",
          .summary = "gradient descent over all records with clipped gradients and Gaussian noise",
          .assumes = "nothing",
          .options = clipping::gd_option_specs(),
          .neighbours = {Neighbours::replace_one, Neighbours::zero_out},
          .unsuitable = [](const Shape&) { return std::string(); },
          .fit =
              [](const Problem& problem, const Facts& options, Meter& meter) {
                return clipping::dp_gd(problem, clipping::GdOptions::from(with_relation(options, meter)),
                                       meter);
              },
          .rebuild_steps =
              [](const Facts& options, const Facts& assumed_public) {
                return std::vector<Step>{clipping::plan_dp_gd(heavy_tails::shape_from(assumed_public),
                                                              clipping::GdOptions::from(options))
                                             .release};
              }};
}

}  // namespace tacit::inline v1
