#include "algorithm/clipping/options.hpp"

#include <algorithm>
#include <array>

#include "tacit/core.hpp"

namespace tacit::inline v1::clipping {

namespace {

constexpr std::array<std::string_view, 3> iterates = {"average", "last", "random"};

// As `auto_or_number`, with a third word: the clip norm is then chosen privately.
Field<Options> clip_norm_line() {
  Field<Options> line = auto_or_number(&Options::clip_norm, "clip-norm", size_range,
                                       "how long one record's gradient may be (tau)");
  line.spec.words.emplace_back("private-min");
  line.spec.range = "> 0, auto or private-min";
  line.spec.fallback =
      "auto: a fifth of the gradient for a unit residual, record by record; half of it for encoded records";
  line.write = [number = line.write](const Options& o) {
    return o.private_min && !o.clip_norm ? std::optional<FactValue>(std::string("private-min")) : number(o);
  };
  line.read = [spec = line.spec](Options& o, const Facts& facts) {
    o.private_min = options::is_word(facts, spec, "private-min");
    if (!o.private_min) o.clip_norm = options::number_or_auto(facts, spec);
  };
  return line;
}

}  // namespace

std::string_view name(Iterate iterate) { return iterates[static_cast<std::size_t>(iterate)]; }

const OptionTable<Options>& Options::table() {
  using enum Theorem;
  const auto chosen = [](const Options& o) { return o.private_min; };
  const auto scheduled = [](const Options& o) { return o.schedule.has_value(); };
  const auto of_moments = [](const Options& o) { return o.schedule && *o.schedule != interpolation; };
  const auto by_distance = [](const Options& o) {
    return o.schedule && *o.schedule != constrained && *o.schedule != nonconvex;
  };
  const auto by_failure = [](const Options& o) {
    return o.schedule && *o.schedule != interpolation && *o.schedule != growth;
  };
  const auto by_growth = [](const Options& o) { return o.schedule == growth; };
  const auto by_smoothness = [](const Options& o) { return o.schedule == nonconvex; };
  static const OptionTable<Options> table = {
      budget(&Options::target),
      relation(&Options::neighbours),
      clip_norm_line(),
      field(&Options::clip_share, "clip-share", open(0, 1), "share of epsilon that private-min spends")
          .only_with("clip-norm = private-min", chosen),
      field(&Options::clip_quantile, "clip-quantile", open(0, 1),
            "of the Lipschitz constants, for private-min")
          .only_with("clip-norm = private-min", chosen),
      released("chosen_clip_norm"),
      choice(&Options::schedule, "schedule", {interpolation, constrained, unconstrained, growth, nonconvex},
             "steps, clip norm and step length by a theorem (docs/clipping.md)"),
      field(&Options::moment_order, "moment-order", above(1),
            "moments that the Lipschitz constants have, for a schedule")
          .only_with("a schedule but interpolation", of_moments),
      field(&Options::moment, "moment", above(0),
            "guess of that moment of the Lipschitz constants, for a schedule")
          .only_with("a schedule", scheduled),
      field(&Options::distance, "distance", above(0), "guess of how far the optimum is, for a schedule")
          .only_with("schedule = interpolation, unconstrained or growth", by_distance),
      field(&Options::failure, "failure", open(0, 1),
            "chance of a dataset that a schedule's bound does not cover")
          .only_with("schedule = constrained, unconstrained or nonconvex", by_failure),
      field(&Options::growth_radius, "growth-radius", at_least(0),
            "how far from the optimum the loss begins to grow, for a schedule")
          .only_with("schedule = growth", by_growth),
      field(&Options::smoothness, "smoothness", above(0), "guess of how fast the gradient changes")
          .only_with("schedule = nonconvex", by_smoothness),
      field(&Options::initial_gap, "gap", above(0), "guess of how far the loss can fall from the start")
          .only_with("schedule = nonconvex", by_smoothness),
      planned("risk_bound"),
      field(&Options::epochs, "epochs", above(0), "how often a record is seen, in the mean").otherwise("30"),
      field(&Options::batch, "batch", above(0), "expected size of a batch").otherwise("2·√records"),
      field(&Options::step_length, "step", size_range,
            "step length eta·tau: how far aligned gradients move the parameters")
          .otherwise("0.2 to 2 for classes, 0.2 for numbers; 0.1 to 2 and up to 0.05 for encoded records, 16 "
                     "for wavelets"),
      choice(&Options::iterate, "iterate", {Iterate::average, Iterate::last, Iterate::random},
             "what is returned: the mean of the second half, or one iterate")
          .otherwise("average; random with schedule = nonconvex"),
      field(&Options::records, "records", at_least(1),
            "public number of records, at least as many as there are under zero_out")
          .otherwise("as many as there are, for zero_out")
          .uncertified(),
      field(&Options::radius, "radius", or_zero(size_range),
            "keep the parameters in a ball of this radius; 0: do not"),
      field(&Options::seed, "seed", any(), "of a network's public initial weights"),
      field(&Options::noise_multiplier, "noise-multiplier", above(0), "").internal(),
      field(&Options::threads, "threads", any(), "").internal().uncertified()};
  return table;
}

Options Options::from(const Facts& facts) {
  Facts all = facts;
  if (facts.has("schedule") && facts.text("schedule") == name(Theorem::nonconvex) && !facts.has("iterate"))
    all.set("iterate", std::string(name(Iterate::random)));
  return table().read(all);
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
        "add_remove keeps the number of records private: give a public one for the batches (the option "
        "records, or "
        "user-count for users)");
  table().validate(*this);
  if (private_min && clip_norm) throw_error<UsageError>("give a clip norm or have one chosen, not both");
  if (private_min && !std::holds_alternative<Approx>(target))
    throw_error<UsageError>("clip-norm private-min needs epsilon and delta");
  if (schedule && private_min) throw_error<UsageError>("a schedule sets the clip norm; leave out clip-norm");
  if (schedule == Theorem::constrained && radius == 0)
    throw_error<UsageError>("the schedule constrained is for a ball: give its radius");
  if (schedule && !settled() && (clip_norm || step_length))
    throw_error<UsageError>("a schedule sets the clip norm and the step; leave out clip-norm and step");
  if (schedule && !std::holds_alternative<Approx>(target))
    throw_error<UsageError>("a schedule needs epsilon and delta");
}

}  // namespace tacit::inline v1::clipping
