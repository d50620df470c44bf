#include "algorithm/heavy_tails/ball_smoothing.hpp"
#include "algorithm/user_level/phases.hpp"
#include "algorithm/user_level/records.hpp"
#include "algorithm/user_level/user_erm.hpp"

namespace tacit::inline v1::user_level {

std::string_view name(Sampling sampling) { return sampling == Sampling::all ? "all" : "sample"; }

const OptionTable<ErmOptions>& ErmOptions::table() {
  static const OptionTable<ErmOptions> table = {
      budget(&ErmOptions::target),
      record_clip_field(&ErmOptions::clip_norm),
      field(&ErmOptions::radius, "radius", size_range, "of the ball that the parameters are sought in"),
      field(&ErmOptions::phases, "phases", between(1, most_stated_phases),
            "over disjoint users, each around the last one's point")
          .otherwise("1; up to 3 with strong-convexity"),
      field(&ErmOptions::iterations, "iterations", between(1, most_iterations),
            "accelerated steps of each phase"),
      choice(&ErmOptions::sampling, "sampling", {Sampling::all, Sampling::sample},
             "who is asked in each step: all users of the phase, or a sample"),
      field(&ErmOptions::batch, "batch", even_from(2), "users in a sample")
          .otherwise("none: needed with sampling = sample"),
      choice(&ErmOptions::schedule, "schedule", {Schedule::practical, Schedule::theorem},
             "practical, or theorem: steps, samples, phases and regularisation by its rules")
          .uncertified(),
      field(&ErmOptions::regularisation, "regularisation", size_range, "of the first phase")
          .otherwise("what balances noise and bias"),
      field(&ErmOptions::smoothness, "smoothness", size_range, "of the loss, in units of the clip norm")
          .otherwise("from the loss and the row bound"),
      field(&ErmOptions::smoothing, "smoothing", size_range,
            "radius of the ball that smooths losses with a kink")
          .otherwise("2·radius·√(parameters + 1)/iterations"),
      field(&ErmOptions::strong_convexity, "strong-convexity", between(0, 1e30),
            "adds this half times the squared norm, and uses it")
          .within_words(">= 0"),
      auto_or_number(
          &ErmOptions::spread, "spread", size_range,
          "how far users may lie apart, times the root of the cap; where they lie further it halts")
          .otherwise("auto: from the data, privately"),
      cap_field(&ErmOptions::records_per_user),
      within(&ErmOptions::share, share_table()),
      phase_facts<ErmOptions>(),
      field(&ErmOptions::row_bound, "row-norm-bound", size_range, "").internal().uncertified(),
      field(&ErmOptions::threads, "threads", any(), "").internal().uncertified()};
  return table;
}

void ErmOptions::validate() const {
  tacit::validate(Guarantee(target));
  table().validate(*this);
  if ((sampling == Sampling::sample) != batch.has_value())
    throw_error<UsageError>("give batch if, and only if, sampling = sample");
  if (schedule == Schedule::theorem &&
      (sampling == Sampling::sample || iterations != ErmOptions{}.iterations))
    throw_error<UsageError>(
        "the theorem's schedule sets steps and samples; leave out iterations, sampling and batch");
}

Facts certified_options(const Shape& shape, const ErmPlan& plan, ErmOptions options, const Outcome& outcome,
                        double regularisation) {
  options.smoothness = smoothness_of(shape, options);
  if (heavy_tails::has_one_kink(shape.loss))
    options.smoothing = smoothing_of(shape, options);
  else
    options.smoothing.reset();
  options.phases = static_cast<std::int64_t>(plan.phases.size());
  options.regularisation = regularisation;
  Facts more;
  more.set("weighting", std::string("user"));
  set_outcome(more, outcome);
  return ErmOptions::table().certified(options, more);
}

}  // namespace tacit::inline v1::user_level
