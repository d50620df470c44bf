#include "tacit/algorithm/nonconvex/options.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "tacit/algorithm/clipping/options.hpp"
#include "tacit/core/error.hpp"
#include "tacit/privacy/target_facts.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

template <class E>
using Names = std::array<std::pair<std::string_view, E>, 2>;

constexpr Names<Estimate> estimates = {{{"values", Estimate::values}, {"gradients", Estimate::gradients}}};
constexpr Names<Bound> bounds = {{{"smoothed", Bound::smoothed}, {"worst", Bound::worst}}};
constexpr Names<Output> outputs = {{{"random", Output::random}, {"last", Output::last}}};
constexpr Names<Schedule> schedules = {{{"practical", Schedule::practical}, {"theorem", Schedule::theorem}}};
constexpr Names<noise::PrefixKind> prefixes = {
    {{"square-root", noise::PrefixKind::square_root}, {"tree", noise::PrefixKind::tree}}};

template <class E>
std::string_view name_in(const Names<E>& names, E value) {
  return names[0].second == value ? names[0].first : names[1].first;
}

template <class E>
E parse(const Names<E>& names, std::string_view option, std::string_view text) {
  for (const auto& [key, value] : names)
    if (key == text) return value;
  throw_error<UsageError>("{} is \"{}\", expected {} or {}", option, text, names[0].first, names[1].first);
}

template <class E>
void read(const Facts& facts, std::string_view key, const Names<E>& names, E& value) {
  if (facts.has(key)) value = parse(names, key, facts.text(key));
}

void require(double value, std::string_view what, double least, double most) {
  if (!(value >= least && value <= most))
    throw_error<UsageError>("{} is {}, expected between {} and {}", what, value, least, most);
}

void require(const std::optional<std::int64_t>& value, std::string_view what, std::int64_t most,
             std::string_view most_in_words = "") {
  if (value && (*value < 1 || *value > most))
    throw_error<UsageError>("{} is {}, expected 1 to {}", what, *value,
                            most_in_words.empty() ? fmt::format("{}", most) : std::string(most_in_words));
}

}  // namespace

std::string_view name(Estimate estimate) { return name_in(estimates, estimate); }
std::string_view name(Bound bound) { return name_in(bounds, bound); }
std::string_view name(Output output) { return name_in(outputs, output); }
std::string_view name(Schedule schedule) { return name_in(schedules, schedule); }
std::string_view name(noise::PrefixKind prefix) { return name_in(prefixes, prefix); }

void Options::validate() const {
  tacit::validate(target);
  if (!std::holds_alternative<Approx>(target) && !std::holds_alternative<Gaussian>(target))
    throw_error<UsageError>("the o2nc methods give approximate or Gaussian privacy, not a {} guarantee",
                            notion(target));
  // Far beyond any use, and so that no product can overflow or vanish.
  constexpr double least = 1e-9, most = 1e9;
  require(lipschitz, "lipschitz", least, most);
  require(radius, "radius", least, most);
  require(gap, "gap", least, most);
  if (smoothing) require(*smoothing, "smoothing", least, most);
  if (step_cap) require(*step_cap, "step-cap", 1e-12, most);
  if (step_size) require(*step_size, "step-size", 1e-12, 1e12);
  require(steps, "steps", 1'000'000);
  require(averaging, "averaging", 1'000'000);
  require(period, "period", 1 << 16);
  require(directions, "directions", 1'000'000);
  constexpr std::int64_t most_records = std::numeric_limits<std::uint32_t>::max();
  require(batch, "batch", most_records, "the number of records");
  require(records, "records", most_records, "2^32 - 1");
  if (pass == Pass::sampled && !std::holds_alternative<Approx>(target))
    throw_error<UsageError>(
        "o2nc-sampled gives approximate privacy: Gaussian DP gains nothing from sampling");
  if (pass == Pass::sampled && schedule == Schedule::theorem)
    throw_error<UsageError>("there is no theorem for sampled batches: the schedule must be practical");
  if (pass != Pass::sampled && (batch || records || noise_multiplier))
    throw_error<UsageError>("batch, records and noise multiplier go with sampled batches only");
  require(work_limit, "work-limit", 1, 1e18);
  if (bound == Bound::worst && estimate == Estimate::gradients)
    throw_error<UsageError>("the bound \"worst\" is for estimates by values; gradients have no factor d");
}

Options Options::from(const Facts& facts, Pass pass, Estimate estimate) {
  Options options;
  options.target = gaussian_or_approx(facts);
  options.pass = pass;
  options.estimate = estimate;
  read(facts, "estimate", estimates, options.estimate);
  read(facts, "bound", bounds, options.bound);
  read(facts, "prefix_sums", prefixes, options.prefix);
  read(facts, "schedule", schedules, options.schedule);
  if (options.schedule == Schedule::theorem) options.output = Output::random;
  read(facts, "output", outputs, options.output);
  const auto number = [&](const char* key, auto& value) {
    if (facts.has(key)) value = facts.number(key);
  };
  const auto integer = [&](const char* key, auto& value) {
    if (facts.has(key)) value = facts.integer(key);
  };
  number("lipschitz", options.lipschitz);
  number("radius", options.radius);
  number("gap", options.gap);
  number("smoothing", options.smoothing);
  number("step_cap", options.step_cap);
  number("step_size", options.step_size);
  number("work_limit", options.work_limit);
  integer("steps", options.steps);
  integer("averaging", options.averaging);
  integer("period", options.period);
  integer("directions", options.directions);
  integer("batch", options.batch);
  integer("records", options.records);
  number("noise_multiplier", options.noise_multiplier);
  integer("seed", options.seed);
  if (facts.has("threads")) options.threads = static_cast<unsigned>(facts.integer("threads"));
  const bool theorem = options.schedule == Schedule::theorem;
  clipping::require_effect(facts, {"gap"}, theorem, "--schedule theorem");
  if (theorem && facts.has("radius"))
    throw_error<UsageError>("--radius has no effect with --schedule theorem, which goes by --gap");
  options.validate();
  return options;
}

std::vector<OptionSpec> option_specs(Pass pass, Estimate estimate) {
  const bool values = estimate == Estimate::values;
  std::vector<OptionSpec> specs = {
      {"lipschitz", OptionKind::number, "how steep one record's loss may be; steeper ones are clipped (L)",
       "1e-9 to 1e9", "1"},
      {"smoothing", OptionKind::number, "radius of the ball the loss is averaged over (alpha)", "1e-9 to 1e9",
       "a fortieth of radius, or averaging times step-cap if that is less"},
      {"radius", OptionKind::number, "how far from the start parameters are worth finding", "1e-9 to 1e9",
       "2"},
      {"steps", OptionKind::integer, "steps (T)", "1 to 1e6", "by the records, at most 256"},
      {"step-cap", OptionKind::number, "how far one step may go (D)", "1e-12 to 1e9", "2 radius/steps"},
      {"step-size", OptionKind::number, "factor of the gradients (eta)", "1e-12 to 1e12",
       "2 step-cap/(size of a noisy gradient times the root of averaging)"},
      {"averaging", OptionKind::integer, "iterates in a block, whose mean is returned (M)", "1 to steps",
       "8, or smoothing/step-cap where smoothing is given and that is less"},
      {"period", OptionKind::integer, "steps between two fresh gradients (Sigma)", "1 to 65536",
       "what makes the noise least"},
      {"directions", OptionKind::integer, "random directions for each record (m)", "1 to 1e6",
       values ? "twice the parameters, 8 to 256; with the bound worst the parameters" : "4"},
      {"output", OptionKind::text, "which block's mean is returned", "last or random",
       pass == Pass::sampled ? "last" : "last; random with the theorem"},
      {"seed", OptionKind::integer, "of the initial parameters of a network, phase-retrieval or max-affine",
       "any", "1"},
      {"work-limit", OptionKind::number,
       "refuse when evaluations of a record's loss, times parameters, are more", "1 to 1e18", "1e12"}};
  const auto add = [&](std::initializer_list<OptionSpec> more) { specs.insert(specs.end(), more); };
  if (pass == Pass::sampled)
    add({{"batch", OptionKind::integer, "records of a step, in the mean", "1 to records",
          "a 32nd of the records, at least 64"},
         {"records", OptionKind::integer, "public number of records, where some may be null", ">= 1",
          "as many as there are"}});
  else
    add({{"schedule", OptionKind::text, "practical, or theorem: sizes that make the proved bound least",
          "practical or theorem", "practical"},
         {"gap", OptionKind::number, "bound on what the loss can fall by, for the theorem (Phi)",
          "1e-9 to 1e9", "1"}});
  if (pass == Pass::single)
    specs.push_back({"prefix-sums", OptionKind::text,
                     "noise of a period: square-root keeps a period's noise, "
                     "tree only its logarithm",
                     "square-root or tree", "square-root"});
  else
    specs.push_back({"estimate", OptionKind::text,
                     "of a record's gradient, from values or gradients of its loss", "values or gradients",
                     "values"});
  if (values)
    specs.push_back(
        {"bound", OptionKind::text,
         "smoothed: clip to L; worst: to L times the parameters, with as many directions [Zhang et al. 2024]",
         "smoothed or worst", "smoothed"});
  return specs;
}

}  // namespace tacit::inline v1::nonconvex
