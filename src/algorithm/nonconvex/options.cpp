#include "tacit/custom_loss.hpp"

#include <limits>

#include "tacit/core.hpp"

namespace tacit::inline v1::noise {
std::string_view name(PrefixKind prefix) {
  return prefix == PrefixKind::square_root ? "square-root" : "tree";
}
}  // namespace tacit::inline v1::noise

namespace tacit::inline v1::nonconvex {

namespace {

// Far beyond any use, and so that no product can overflow or vanish.
constexpr double least = 1e-9, most = 1e9;
constexpr double most_records = std::numeric_limits<std::uint32_t>::max();

// Sampled batches have a proof for zero_out alone.
std::vector<Field<Options>> relation_lines(Pass pass) {
  const bool sampled = pass == Pass::sampled;
  std::vector<Field<Options>> lines = {
      field(&Options::records, "records", between(1, most_records),
            sampled ? "public number of records, where some may be null"
                    : "public number of records, at least as many as there are, for zero_out")
          .within_words("1 to 2^32 - 1")
          .otherwise("as many as there are")
          .uncertified()};
  if (!sampled) lines.insert(lines.begin(), relation(&Options::neighbours));
  return lines;
}

Fields<Options> common_lines(Pass pass, Estimate estimate) {
  const bool values = estimate == Estimate::values, sampled = pass == Pass::sampled;
  return std::vector<Field<Options>>{
      budget(&Options::target),
      field(&Options::lipschitz, "lipschitz", between(least, most),
            "how steep one record's loss may be; steeper ones are clipped (L)"),
      field(&Options::smoothing, "smoothing", between(least, most),
            "radius of the ball the loss is averaged over (alpha)")
          .otherwise(
              "a fortieth of radius, or step-cap (times averaging, where that is given) if that is more"),
      field(&Options::radius, "radius", between(least, most),
            "how far from the start parameters are worth finding")
          .uncertified(),
      field(&Options::steps, "steps", between(1, 1e8), "steps (T)").otherwise("by the records, at most 256"),
      field(&Options::step_cap, "step-cap", between(1e-12, most), "how far one step may go (D)")
          .otherwise("2 radius/steps, or smoothing where that is given and less"),
      field(&Options::step_size, "step-size", between(1e-12, 1e12), "factor of the gradients (eta)")
          .otherwise("2 step-cap/(size of a noisy gradient times the root of averaging, or of 8)"),
      field(&Options::averaging, "averaging", between(1, 1e8),
            "iterates in a block, whose mean is returned (M)")
          .within_words("1 to steps")
          .otherwise("8, or smoothing/step-cap if that is less"),
      field(&Options::period, "period", between(1, 1 << 16), "steps between two fresh gradients (Sigma)")
          .otherwise("what makes the proved bound least"),
      field(&Options::directions, "directions", between(1, 1e6), "random directions for each record (m)")
          .otherwise(values ? "twice the parameters, 8 to 256; with the bounds worst and frame the parameters"
                            : "4"),
      choice(&Options::output, "output", {Output::last, Output::random}, "which block's mean is returned")
          .otherwise(sampled ? "last" : "last; random with the theorem"),
      field(&Options::seed, "seed", any(),
            "of the initial parameters of a network, phase-retrieval or max-affine"),
      field(&Options::work_limit, "work-limit", between(1, 1e18),
            "refuse when evaluations of a record's loss, times parameters, are more")
          .uncertified(),
      field(&Options::threads, "threads", any(), "").internal().uncertified()};
}

bool by_theorem(const Options& options) { return options.schedule == Schedule::theorem; }

// Of batches, or of the theorem.
Fields<Options> pass_lines(Pass pass) {
  using Lines = std::vector<Field<Options>>;
  if (pass == Pass::sampled)
    return Lines{field(&Options::batch, "batch", between(1, most_records), "records of a step, in the mean")
                     .within_words("1 to the number of records")
                     .otherwise("a 32nd of the records, at least 64"),
                 field(&Options::noise_multiplier, "noise-multiplier", above(0), "").internal()};
  return Lines{choice(&Options::schedule, "schedule", {Schedule::practical, Schedule::theorem},
                      "practical, or theorem: sizes that make the proved bound least")
                   .certified_if(by_theorem),
               field(&Options::gap, "gap", between(least, most),
                     "bound on what the loss can fall by, for the theorem (Phi)")
                   .only_with("schedule = theorem", by_theorem)};
}

// What is clipped, and how noise adds up. A certificate always states the estimate and the bound.
Fields<Options> estimate_lines(Pass pass, Estimate estimate) {
  Field<Options> estimates = choice(&Options::estimate, "estimate", {Estimate::values, Estimate::gradients},
                                    "of a record's gradient, from values or gradients of its loss");
  Field<Options> bounds = choice(&Options::bound, "bound", {Bound::smoothed, Bound::frame, Bound::worst},
                                 "smoothed: clip to L; frame: to what orthogonal directions can give, so "
                                 "that nothing is cut; worst: to L "
                                 "times the parameters, with as many directions [Zhang et al. 2024]");
  if (pass != Pass::sampled) bounds = std::move(bounds).otherwise("smoothed; frame with the theorem");
  estimates.is_flag = pass != Pass::single;
  bounds.is_flag = estimate == Estimate::values;
  std::vector<Field<Options>> lines = {estimates, bounds};
  if (pass == Pass::single)
    lines.insert(
        lines.begin(),
        choice(&Options::prefix, "prefix-sums", {noise::PrefixKind::square_root, noise::PrefixKind::tree},
               "noise of a period: square-root keeps a period's noise, tree only its logarithm"));
  return lines;
}

OptionTable<Options> make_table(Pass pass, Estimate estimate) {
  if (pass == Pass::sampled)
    return {common_lines(pass, estimate), pass_lines(pass), relation_lines(pass),
            estimate_lines(pass, estimate)};
  return {common_lines(pass, estimate), relation_lines(pass), pass_lines(pass), planned("stationarity_bound"),
          estimate_lines(pass, estimate)};
}

}  // namespace

std::string_view name(Estimate estimate) { return estimate == Estimate::values ? "values" : "gradients"; }
std::string_view name(Bound bound) {
  if (bound == Bound::frame) return "frame";
  return bound == Bound::smoothed ? "smoothed" : "worst";
}
std::string_view name(Output output) { return output == Output::random ? "random" : "last"; }
std::string_view name(Schedule schedule) { return schedule == Schedule::practical ? "practical" : "theorem"; }

const OptionTable<Options>& Options::table(Pass pass, Estimate estimate) {
  static const OptionTable<Options> single = make_table(Pass::single, Estimate::values),
                                    first = make_table(Pass::single, Estimate::gradients),
                                    multi = make_table(Pass::multi, Estimate::values),
                                    sampled = make_table(Pass::sampled, Estimate::values);
  if (pass == Pass::multi) return multi;
  if (pass == Pass::sampled) return sampled;
  return estimate == Estimate::values ? single : first;
}

void Options::validate() const {
  tacit::validate(target);
  if (!std::holds_alternative<Approx>(target) && !std::holds_alternative<Gaussian>(target))
    throw_error<UsageError>("the o2nc methods give approximate or Gaussian privacy, not a {} guarantee",
                            notion(target));
  table(pass, estimate).validate(*this);
  if (pass == Pass::sampled && !std::holds_alternative<Approx>(target))
    throw_error<UsageError>(
        "o2nc-sampled gives approximate privacy: Gaussian DP gains nothing from sampling");
  if (pass == Pass::sampled && schedule == Schedule::theorem)
    throw_error<UsageError>("there is no theorem for sampled batches: the schedule must be practical");
  if (pass != Pass::sampled && (batch || noise_multiplier))
    throw_error<UsageError>("batch and noise-multiplier have no effect without sampled batches");
  if (neighbours == Neighbours::add_remove)
    throw_error<UsageError>(
        "the o2nc methods divide by the number of records, so they protect zero_out or replace_one");
  if (bound != Bound::smoothed && estimate == Estimate::gradients)
    throw_error<UsageError>("the bound \"{}\" is for estimates by values; gradients have no factor d",
                            name(bound));
}

Options Options::from(const Facts& facts, Pass pass, Estimate estimate) {
  Options start;
  start.pass = pass;
  start.estimate = estimate;
  const bool theorem = facts.has("schedule") && facts.text("schedule") == name(Schedule::theorem);
  if (theorem) start.output = Output::random;
  // Nothing is clipped, so that there is no bias; gradients are at most L long anyway.
  const bool values =
      facts.has("estimate") ? facts.text("estimate") == name(Estimate::values) : estimate == Estimate::values;
  if (theorem && values) start.bound = Bound::frame;
  if (theorem && facts.has("radius"))
    throw_error<UsageError>("radius has no effect with schedule = theorem, which uses gap");
  return table(pass, estimate).read(facts, start);
}

}  // namespace tacit::inline v1::nonconvex
