#include "algorithm/heavy_tails/options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/rows.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

constexpr double most_share = 0.9;  // of epsilon for the choice of limits: the fit needs some

void require_size(double value, std::string_view what) {
  if (!size_range.holds(value))
    throw_error<UsageError>("{} is {}, expected {}", what, value, size_range.in_words());
}

Field<Options> budget_line() {
  Field<Options> line{.is_flag = false, .is_certified = false};
  const auto number = [](const Facts& facts, std::string_view key) {
    return facts.has(key) ? std::optional(facts.number(key)) : std::nullopt;
  };
  line.read = [number](Options& o, const Facts& facts) {
    o.mu = number(facts, "mu");
    if (!o.mu) o.epsilon = facts.number("epsilon");
    o.delta = number(facts, "delta");
  };
  line.write_budget = [](const Options& o, Facts& facts) {
    if (o.mu)
      facts.set("mu", *o.mu);
    else
      facts.set("epsilon", o.epsilon);
    if (o.delta) facts.set("delta", *o.delta);
  };
  return line;
}

}  // namespace

const OptionTable<Options>& limits_table() {
  static const OptionTable<Options> table = {
      budget_line(),
      field(&Options::slope_limit, "slope-limit", size_range, "how hard one record can pull (C)")
          .otherwise("from the row and label bounds"),
      field(&Options::curvature_limit, "curvature-limit", size_range,
            "how much one record can bend the objective (Q)")
          .otherwise("from the row bound"),
      field(&Options::regularisation, "regularisation", size_range,
            "strength of the pull towards 0, per record (lambda)")
          .otherwise("from epsilon, the limits and the radius"),
      field(&Options::radius, "radius", size_range, "size of parameters worth finding (R)")
          .otherwise("10; limited-objective on encoded records: 2 to 10 for classes, 1 for numbers"),
      field(&Options::label_bound, "label-bound", size_range,
            "public bound on |label|; larger counts are cut to it")
          .otherwise("from the schema")
          .assumed_public(),
      // The shares are stated where limits were chosen privately.
      field(&Options::limit_share, "limit-share", between(0, most_share),
            "share of epsilon for sizes that no bound states; 0: refuse")
          .otherwise("as many records need, 0.1 to 0.5")
          .uncertified(),
      field(&Options::column_share, "column-share", between(0, most_share),
            "share of epsilon for a scale of each column, without bounds")
          .otherwise("0.2 where the records are many enough, else 0")
          .uncertified(),
      field(&Options::moment_order, "moment-order", between(1, 1e6),
            "moments of the gradients that exist (k), for a slope limit that grows with the records")
          .otherwise("twice the typical gradient, without bounds")
          .uncertified(),
      released("limits"), released("feature_exponents"), released("label_offset"), released("label_scale"),
      field(&Options::row_norm_bound, "row-norm-bound", size_range, "").internal().assumed_public(),
      field(&Options::threads, "threads", any(), "").internal().uncertified()};
  return table;
}

const OptionTable<Options>& relation_table() {
  static const OptionTable<Options> table = {
      relation(&Options::neighbours),
      field(&Options::records, "records", between(1, 0x1p53),
            "public number of records, at least as many as there are, for add_remove")
          .within_words(">= 1")
          .otherwise("that of the data")
          .uncertified()};
  return table;
}

const OptionTable<Options>& places_table() {
  static const OptionTable<Options> table = {
      relation(&Options::neighbours),
      field(&Options::records, "records", between(1, 0x1p53),
            "public number of records, at least as many as there are, for zero_out")
          .within_words(">= 1")
          .otherwise("that of the data")
          .uncertified()};
  return table;
}

const OptionTable<Options>& Options::table() {
  static const OptionTable<Options> table = {extended_table().lines(), relation_table().lines(),
                                             domain_table().lines(), net_lines().lines()};
  return table;
}

void Options::validate() const {
  if (!(epsilon >= 1e-9 && epsilon <= 1e9))
    throw_error<UsageError>("epsilon is {}, expected between 1e-9 and 1e9", epsilon);
  if (delta) tacit::validate(Guarantee(Approx{epsilon, *delta}));
  if (mu && !(*mu >= 1e-9 && *mu <= 1e9))
    throw_error<UsageError>("mu is {}, expected between 1e-9 and 1e9", *mu);
  if (neighbours == Neighbours::add_remove && !records)
    throw_error<UsageError>(
        "add_remove keeps the number of records private: give a public one that is at least as large "
        "(the option records)");
  table().validate(*this);
  const double limits = limit_share.value_or(0), columns = column_share.value_or(0);
  if (!(limits + columns <= most_share))
    throw_error<UsageError>("column-share is {}, expected at least 0, and with limit-share at most {}",
                            columns, most_share);
}

namespace {

void require_label_size(const Link& link, const Options& options) {
  if (facts(link).slope_scales_with_label && !options.label_bound)
    throw_error<UsageError>(
        "the {} loss needs a public size of the target: give the target's min and max in a schema, or "
        "a label-bound, or a slope-limit and a curvature-limit; for classes, the loss logistic or softmax",
        name(link.kind));
}

}  // namespace

LinkSizes link_sizes(const LossSpec& loss, double label) {
  const auto* link = std::get_if<Link>(&loss);
  if (!link) return {std::sqrt(2.0), 0.5};
  const LinkFacts known = facts(*link);
  switch (link->kind) {
    case LinkKind::squared:
      return {0.2 * label, 1};
    case LinkKind::huber:
      return {std::min(link->parameter, 0.2 * label), 1};
    case LinkKind::poisson:
      return {label, label};
    case LinkKind::logistic:
      return {0.5, 0.25};
    case LinkKind::absolute:
    case LinkKind::pinball:
      return {known.slope, 4 / label};
    case LinkKind::hinge:
      return {known.slope, 2};
    case LinkKind::smoothed_hinge:
      return {known.slope, known.curvature};
  }
  return {};
}

void require_sums_only(const Problem& problem, const Options& options) {
  if (!problem.data->shards) return;
  if (options.extension.oracle != ExtensionOracle::limited)
    throw_error<UsageError>("oracle = {} needs all records in one place; fit them without shards",
                            name(options.extension.oracle));
  if (options.net.smoothing == Smoothing::ball)
    throw_error<UsageError>("smoothing = ball needs all records in one place; fit them without shards");
}

void require_relation(const Options& options, const Meter& meter) {
  if (meter.budget().unit != Unit::item || meter.budget().neighbours != options.neighbours)
    throw_error<UsageError>(
        "this run protects {} neighbours, one record; the budget is for unit {}, neighbours {}",
        name(options.neighbours), record_or_user(meter.budget().unit), name(meter.budget().neighbours));
}

void require_places(const Options& options, const Meter& meter) {
  require_relation(options, meter);
  if (options.neighbours == Neighbours::add_remove)
    throw_error<UsageError>(
        "this method divides by the public number of records, so it protects zero_out or replace_one");
}

Sensitivity minimiser_sensitivity(double slope, double strength, double distance, Neighbours neighbours) {
  const bool replaced = neighbours == Neighbours::replace_one;
  return {.value = div_up(shift_of(slope, neighbours), strength),
          .slack = 2 * distance,
          .norm = Norm::l2,
          .reason = fmt::format(
              "minimisers of nλ-strongly convex sums that differ by one C-Lipschitz record{} move "
              "by <= {}C/(n lambda); slack: twice the certified solver distance",
              replaced ? "" : ", which is there or null,", replaced ? "2" : "")};
}

std::vector<std::string> count_assumptions(Neighbours neighbours, std::size_t records) {
  if (neighbours != Neighbours::add_remove) return {};
  return {fmt::format("the data has at most {} records, which was stated and is public", records)};
}

Shape public_shape(const Problem& problem, const Options& options) {
  return tacit::public_shape(problem, options.neighbours, options.records);
}

namespace {
LossLimits requested_limits(const Shape& shape, const Options& options);
}

LossLimits choose_limits(const Shape& shape, const Options& options) {
  const auto* link = std::get_if<Link>(&shape.loss);
  if (link && link->kind == LinkKind::poisson && !options.label_bound)
    throw_error<UsageError>(
        "the poisson loss needs a public bound on the counts: the target's max in a schema, or "
        "a label-bound");
  const LossLimits limits = requested_limits(shape, options);
  require_size(limits.slope, "the slope limit");
  require_size(limits.curvature, "the curvature limit");
  return limits;
}

namespace {

LossLimits requested_limits(const Shape& shape, const Options& options) {
  if (options.slope_limit && options.curvature_limit) return {*options.slope_limit, *options.curvature_limit};
  if (!options.row_norm_bound)
    throw_error<UsageError>(
        "the size of the rows is not public: give a schema, or a row-bound, or a slope-limit and "
        "a curvature-limit (it is never read off the data)");
  const double a = *options.row_norm_bound;
  if (const auto* link = std::get_if<Link>(&shape.loss)) {
    require_label_size(*link, options);
    const LinkSizes sizes = link_sizes(shape.loss, options.label_bound.value_or(1));
    const double slope = std::min(1.1 * sizes.slope_at_zero, facts(*link).slope);
    return {options.slope_limit.value_or(slope * a),
            options.curvature_limit.value_or(sizes.curvature * a * a)};
  }
  // Softmax is limited by a weight, so a smaller C would only shrink signal and noise together.
  const LinkSizes sizes = link_sizes(shape.loss, 1);
  return {options.slope_limit.value_or(sizes.slope_at_zero * a),
          options.curvature_limit.value_or(sizes.curvature * a * a)};
}

}  // namespace

double checked_strength(const Shape& shape, double regularisation) {
  const double strength = static_cast<double>(shape.records) * regularisation;
  require_size(regularisation, "the regularisation");
  require_size(strength, "regularisation times records");
  return strength;
}

Facts public_facts(const Shape& shape, const Options& options) {
  Facts facts = shape_facts(shape);
  if (options.row_norm_bound) facts.set("row_norm_bound", *options.row_norm_bound);
  if (options.label_bound) facts.set("label_bound", *options.label_bound);
  return facts;
}

Options settled(Options options, const LossLimits& limits, double regularisation) {
  options.slope_limit = limits.slope;
  options.curvature_limit = limits.curvature;
  options.regularisation = regularisation;
  return options;
}

Facts option_facts(const Options& options, const LossLimits& limits, double regularisation) {
  return limits_table().certified(settled(options, limits, regularisation));
}

double projection_radius(const Options& options) { return 10 * options.radius; }

double projected_distance(const GradientError& solver, double extra, double radius, std::size_t parameters) {
  const double constant = add_up(solver.constant, extra);
  // The case of a point far outside the ball needs constant ≤ radius/4 and per_distance ≤ 1/8.
  if (!(constant <= radius / 4 && solver.per_distance <= 0.125))
    throw_error<InfeasibleError>(
        "double arithmetic is too coarse: the solver's certified distance would be {:.3g} + {:.3g} per unit, "
        "in a "
        "ball of radius {:.3g}; more regularisation or smaller limits are needed",
        constant, solver.per_distance, radius);
  const double projection = mul_up(gamma_bound(parameters + 8), radius);
  return add_up(add_up(constant, mul_up(2 * radius, solver.per_distance)), projection);
}

double recentring_error(double center_bound, double radius) {
  return center_bound == 0 ? 0 : mul_up(gamma_bound(4), add_up(center_bound, radius));
}

}  // namespace tacit::inline v1::heavy_tails
