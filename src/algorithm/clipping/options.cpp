#include "tacit/algorithm/clipping/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "tacit/core/error.hpp"
#include "tacit/privacy/target_facts.hpp"

namespace tacit::inline v1::clipping {

namespace {

constexpr std::array<std::pair<std::string_view, Iterate>, 3> iterates = {
    {{"average", Iterate::average}, {"last", Iterate::last}, {"random", Iterate::random}}};

// Far beyond any use, and so that no product in the engine can overflow or vanish.
constexpr double least_size = 1e-30, largest_size = 1e30;

void require_size(const std::optional<double>& value, std::string_view what) {
  if (value && !(*value >= least_size && *value <= largest_size))
    throw_error<UsageError>("{} is {}, expected between {} and {}", what, *value, least_size, largest_size);
}

void require_share(double value, std::string_view what) {
  if (!(value > 0 && value < 1)) throw_error<UsageError>("{} is {}, expected between 0 and 1", what, value);
}

void require_positive(const std::optional<double>& value, std::string_view what) {
  if (value && !(*value > 0 && std::isfinite(*value)))
    throw_error<UsageError>("{} is {}, expected a finite number > 0", what, *value);
}

std::optional<double> optional_number(const Facts& facts, std::string_view key) {
  return facts.has(key) ? std::optional(facts.number(key)) : std::nullopt;
}

std::optional<double> parse_clip_norm(const std::string& text) {
  if (text == "auto" || text == "private-min") return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw_error<UsageError>("clip-norm is \"{}\", expected a number > 0, auto or private-min", text);
  return value;
}

}  // namespace

std::string_view name(Iterate iterate) {
  return std::ranges::find(iterates, iterate, &std::pair<std::string_view, Iterate>::second)->first;
}

Iterate parse_iterate(std::string_view text) {
  for (const auto& [key, value] : iterates)
    if (key == text) return value;
  throw_error<UsageError>("iterate is \"{}\", expected average, last or random", text);
}

void Options::validate() const {
  tacit::validate(target);
  if (!std::holds_alternative<Approx>(target) && !std::holds_alternative<Gaussian>(target))
    throw_error<UsageError>("dp-sgd gives approximate or Gaussian privacy, not a {} guarantee",
                            notion(target));
  if (neighbours == Neighbours::replace_one)
    throw_error<UsageError>("dp-sgd protects zero_out or add_remove neighbours, not replace_one");
  if (neighbours == Neighbours::add_remove && !records)
    throw_error<UsageError>(
        "add_remove keeps the number of records private: give a public one for the batches (--records, or "
        "--user-count for users)");
  if (records && *records < 1) throw_error<UsageError>("records is {}, expected at least 1", *records);
  require_size(clip_norm, "clip-norm");
  if (private_min) {
    if (clip_norm) throw_error<UsageError>("a clip norm is given and to be chosen as well");
    if (!std::holds_alternative<Approx>(target))
      throw_error<UsageError>("clip-norm private-min needs epsilon and delta");
    require_share(clip_share, "clip-share");
    require_share(clip_quantile, "clip-quantile");
  }
  if (schedule && (clip_norm || step_length || private_min))
    throw_error<UsageError>("a schedule sets the clip norm and the step; leave out --clip-norm and --step");
  if (schedule && !std::holds_alternative<Approx>(target))
    throw_error<UsageError>("a schedule needs epsilon and delta");
  require_size(step_length, "step");
  require_positive(batch, "batch");
  require_positive(epochs, "epochs");
  require_positive(noise_multiplier, "the noise multiplier");
  if (!(radius == 0 || (radius >= least_size && radius <= largest_size)))
    throw_error<UsageError>("radius is {}, expected 0 or a number between {} and {}", radius, least_size,
                            largest_size);
}

void require_effect(const Facts& facts, std::initializer_list<std::string_view> names, bool has_effect,
                    std::string_view goes_with) {
  for (const std::string_view key : names) {
    if (has_effect || !facts.has(key)) continue;
    std::string flag(key);
    std::ranges::replace(flag, '_', '-');
    throw_error<UsageError>("--{} has no effect without {}", flag, goes_with);
  }
}

Options Options::from(const Facts& facts) {
  Options options;
  options.target = gaussian_or_approx(facts);
  if (facts.has("neighbours")) options.neighbours = parse_neighbours(facts.text("neighbours"));
  if (facts.has("clip_norm")) {
    options.clip_norm = parse_clip_norm(facts.text("clip_norm"));
    options.private_min = facts.text("clip_norm") == "private-min";
  }
  options.clip_share = optional_number(facts, "clip_share").value_or(options.clip_share);
  options.clip_quantile = optional_number(facts, "clip_quantile").value_or(options.clip_quantile);
  if (facts.has("schedule")) options.schedule = parse_theorem(facts.text("schedule"));
  options.moment_order = optional_number(facts, "moment_order").value_or(options.moment_order);
  options.moment = optional_number(facts, "moment").value_or(options.moment);
  options.distance = optional_number(facts, "distance").value_or(options.distance);
  options.batch = optional_number(facts, "batch");
  options.epochs = optional_number(facts, "epochs");
  options.step_length = optional_number(facts, "step");
  options.noise_multiplier = optional_number(facts, "noise_multiplier");
  if (facts.has("records")) options.records = facts.integer("records");
  options.radius = optional_number(facts, "radius").value_or(0);
  if (facts.has("iterate")) options.iterate = parse_iterate(facts.text("iterate"));
  if (facts.has("seed")) options.seed = facts.integer("seed");
  if (facts.has("threads")) options.threads = static_cast<unsigned>(facts.integer("threads"));
  require_effect(facts, {"clip_share", "clip_quantile"}, options.private_min, "--clip-norm private-min");
  require_effect(facts, {"moment_order", "moment", "distance"}, options.schedule.has_value(), "--schedule");
  options.validate();
  return options;
}

std::vector<OptionSpec> option_specs() {
  return {
      {"clip-norm", OptionKind::text, "how long one record's gradient may be (tau)",
       "> 0, auto or private-min", "auto: a fifth of the gradient for a unit residual, record by record"},
      {"clip-share", OptionKind::number, "share of epsilon that private-min spends", "between 0 and 1",
       "0.05"},
      {"clip-quantile", OptionKind::number, "of the Lipschitz constants, for private-min", "between 0 and 1",
       "0.01"},
      {"schedule", OptionKind::text, "steps, clip norm and step length by a theorem (docs/clipping.md)",
       "interpolation, constrained, unconstrained, growth or nonconvex", "none"},
      {"moment-order", OptionKind::number, "moments that the Lipschitz constants have, for a schedule", "> 1",
       "2"},
      {"moment", OptionKind::number, "guess of that moment of the Lipschitz constants, for a schedule", "> 0",
       "1"},
      {"distance", OptionKind::number, "guess of how far the optimum is, for a schedule", "> 0", "1"},
      {"epochs", OptionKind::number, "how often a record is seen, in the mean", "> 0", "30"},
      {"batch", OptionKind::number, "expected size of a batch", "> 0", "2·√records"},
      {"step", OptionKind::number, "step length eta·tau: how far aligned gradients move the parameters",
       "> 0", "2 for classes, 0.2 for numbers"},
      {"iterate", OptionKind::text, "what is returned: the mean of the second half, or one iterate",
       "average, last or random", "average"},
      {"records", OptionKind::integer, "public number of records, for add_remove", ">= 1",
       "as many as there are, for zero_out"},
      {"radius", OptionKind::number, "keep the parameters in a ball of this radius; 0: do not", ">= 0", "0"},
      {"seed", OptionKind::integer, "of a network's public initial weights", "any", "1"}};
}

}  // namespace tacit::inline v1::clipping
