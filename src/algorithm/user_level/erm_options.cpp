#include <cmath>

#include "caps.hpp"
#include "phases.hpp"
#include "records.hpp"
#include "tacit/algorithm/user_level/user_erm.hpp"

namespace tacit::inline v1::user_level {

std::string_view name(Sampling sampling) { return sampling == Sampling::all ? "all" : "sample"; }

Sampling parse_sampling(std::string_view text) {
  for (const Sampling sampling : {Sampling::all, Sampling::sample})
    if (text == name(sampling)) return sampling;
  throw_error<UsageError>("sampling is \"{}\", expected all or sample", text);
}

void ErmOptions::validate() const {
  tacit::validate(Guarantee(target));
  require_cap(records_per_user);
  require_record_clip(clip_norm);
  share.validate();
  for (const auto& [value, what] :
       {std::pair(radius, "radius"), std::pair(spread.value_or(1), "spread"),
        std::pair(smoothing.value_or(1), "smoothing"),
        std::pair(regularisation.value_or(1), "regularisation"),
        std::pair(smoothness.value_or(1), "smoothness"), std::pair(row_bound.value_or(1), "the row bound")})
    require_positive(value, what);
  if (!(strong_convexity >= 0 && strong_convexity <= 1e30))
    throw_error<UsageError>("strong-convexity is {}, expected 0 to 1e30", strong_convexity);
  if (phases && (*phases < 1 || *phases > 20))
    throw_error<UsageError>("phases is {}, expected 1 to 20", *phases);
  if (iterations < 1 || iterations > 100'000)
    throw_error<UsageError>("iterations is {}, expected 1 to 100000", iterations);
  if ((sampling == Sampling::sample) != batch.has_value())
    throw_error<UsageError>("a batch goes with sampling = sample, which needs one");
  if (batch && (*batch < 2 || *batch % 2 != 0))
    throw_error<UsageError>("batch is {}, expected an even number >= 2", *batch);
}

namespace {

// dp-sgd, which has the same flag, takes any number; here it counts users.
std::int64_t whole(const Facts& facts, std::string_view key) {
  const double value = facts.number(key);
  if (!(value == std::floor(value) && std::fabs(value) < 0x1p53))
    throw_error<UsageError>("{} is {}, expected a whole number", key, value);
  return static_cast<std::int64_t>(value);
}

}  // namespace

ErmOptions ErmOptions::from(const Facts& facts) {
  ErmOptions options;
  const auto number = [&](const char* key, auto& field) {
    if (facts.has(key)) field = facts.number(key);
  };
  options.target = {facts.number("epsilon"), facts.number("delta")};
  options.records_per_user = cap_of(facts);
  options.clip_norm = auto_or_number(facts, "clip_norm");
  number("radius", options.radius);
  if (facts.has("phases")) options.phases = facts.integer("phases");
  if (facts.has("iterations")) options.iterations = facts.integer("iterations");
  if (facts.has("sampling")) options.sampling = parse_sampling(facts.text("sampling"));
  if (facts.has("batch")) options.batch = whole(facts, "batch");
  number("regularisation", options.regularisation);
  number("smoothness", options.smoothness);
  number("smoothing", options.smoothing);
  number("strong_convexity", options.strong_convexity);
  options.spread = auto_or_number(facts, "spread");
  number("row_norm_bound", options.row_bound);
  options.share = share_from(facts);
  if (facts.has("threads")) options.threads = static_cast<unsigned>(facts.integer("threads"));
  options.validate();
  return options;
}

std::vector<OptionSpec> erm_option_specs() {
  std::vector<OptionSpec> specs = {
      record_clip_spec(),
      {"radius", OptionKind::number, "of the ball that the parameters are sought in", "> 0", "5"},
      {"phases", OptionKind::integer, "over disjoint users, each around the last one's point", "1 to 20",
       "1; up to 3 with --strong-convexity"},
      {"iterations", OptionKind::integer, "accelerated steps of each phase", "1 to 100000", "30"},
      {"sampling", OptionKind::text, "who is asked in each step: all users of the phase, or a sample",
       "all or sample", "all"},
      {"batch", OptionKind::number, "users in a sample", "even", "none: needed with --sampling sample"},
      {"regularisation", OptionKind::number, "of the first phase", "> 0", "what balances noise and bias"},
      {"smoothness", OptionKind::number, "of the loss, in units of the clip norm", "> 0",
       "from the loss and the row bound"},
      {"smoothing", OptionKind::number, "radius of the ball that smooths losses with a kink", "> 0",
       "2·radius·√(parameters + 1)/iterations"},
      {"strong-convexity", OptionKind::number, "adds this half times the squared norm, and uses it", ">= 0",
       "0"},
      {"spread", OptionKind::text,
       "how far users may lie apart, times the root of the cap; where they lie further it halts",
       "> 0 or auto", "auto: from the data, privately"},
      cap_spec()};
  add_share_specs(specs);
  return specs;
}

}  // namespace tacit::inline v1::user_level
