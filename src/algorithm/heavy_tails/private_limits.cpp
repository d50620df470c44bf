#include "algorithm/heavy_tails/private_limits.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/heavy_tails/private_sizes.hpp"
#include "noise/selection.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// With probability 1 − e⁻ᵗ a quantile misses its rank by at most (2/ε)(ln |grid| + t): the bound of
// noise::quantile. The shares follow from it [heuristic: utility only].
double rank_error(double epsilon, std::size_t points, double t) {
  return 2 / epsilon * (std::log(static_cast<double>(points)) + t);
}

// A typical size is a median or an upper quartile; a miss of 0.2 n ranks would still be a size that some
// records have.
constexpr double most_shares = 0.9;  // of epsilon; Options allows as much
constexpr double least_share = 0.1, largest_share = 0.5, size_miss = 0.2, size_t_bound = 6;

std::string_view lacking(const Options& options) {
  return options.row_norm_bound ? "the target has no public range" : "no bounds are given";
}

std::string_view remedy(const Options& options) {
  return options.row_norm_bound ? "its min and max in a schema (target_bounds in Python)"
                                : "a schema (`tacit schema` finds one privately), or a row-bound";
}

double choose_share(const Shape& shape, const Options& options, int queries) {
  if (options.limit_share) return *options.limit_share;
  const double n = static_cast<double>(shape.records);
  const double needed = queries * rank_error(1, row_grid.points(), size_t_bound) / (size_miss * n);
  if (needed > largest_share * options.epsilon)
    throw_error<InfeasibleError>(
        "{}, and {} record{} at epsilon {} are too few to choose {} size{} privately: records times epsilon "
        "must be at least {:.0f}; give more epsilon, {}, or a slope-limit and a curvature-limit",
        lacking(options), shape.records, shape.records == 1 ? "" : "s", options.epsilon, queries,
        queries == 1 ? "" : "s", std::ceil(needed * n / largest_share), remedy(options));
  return std::max(least_share, needed / options.epsilon);
}

// A scale of its own for each column is worth its share where the miss is small beside the records above the
// quantile.
constexpr double column_share = 0.2, column_t_bound = 3;

double choose_column_share(const Shape& shape, const Options& options, std::size_t columns) {
  if (options.column_share) return *options.column_share;
  const double each = column_share * options.epsilon / static_cast<double>(columns);
  const double miss = rank_error(each, column_grid.points(), column_t_bound);
  return miss <= (1 - column_quantile) * static_cast<double>(shape.records) ? column_share : 0;
}

bool slope_depends_on_label(const Link& link) {
  return facts(link).slope_scales_with_label || link.kind == LinkKind::huber;
}

std::vector<Step> planned_steps(const Shape& shape, const LimitQueries& queries) {
  std::vector<Step> steps;
  const auto add = [&](std::size_t points, double epsilon) {
    steps.push_back(noise::plan_quantile(shape.records, Pure{epsilon}, points));
  };
  for (std::size_t j = 0; j < queries.columns; ++j) add(column_grid.points(), queries.column_epsilon);
  if (queries.rows) add(row_grid.points(), queries.epsilon);
  if (queries.label_map) {
    add(label_grid.points(), queries.epsilon);
    add(location_points, queries.epsilon);
    add(label_grid.points(), queries.epsilon);
  }
  if (queries.label_bound) add(label_grid.points(), queries.epsilon);
  if (queries.gradients) add(gradient_grid.points(), queries.epsilon);
  return steps;
}

// Sizes are about 1 in the units that are chosen.
Options with_typical_limits(Options options, const LimitQueries& queries) {
  options.epsilon = queries.rest;
  options.slope_limit = options.curvature_limit = 1;
  if (!options.label_bound) options.label_bound = 1;
  return options;
}

// What a certificate says of the choice, beside the units.
void state_choice(Facts& facts, const Options& asked, const LimitQueries& queries,
                  const std::optional<double>& label_bound) {
  facts.set("epsilon", asked.epsilon);
  facts.set("limits", std::string("chosen privately"));
  facts.set("limit_share", queries.share);
  facts.set("column_share", queries.column_share);
  if (asked.moment_order) facts.set("moment_order", *asked.moment_order);
  if (label_bound) facts.set("label_bound", *label_bound);
}

}  // namespace

bool needs_private_limits(const Shape& shape, const Options& options) {
  if (options.limit_share == 0.0 || (options.slope_limit && options.curvature_limit)) return false;
  const auto* link = std::get_if<Link>(&shape.loss);
  const bool label_size_lacks = link && facts(*link).slope_scales_with_label && !options.label_bound;
  return !options.row_norm_bound || label_size_lacks;
}

void require_effect(const Shape& shape, const Options& options) {
  const bool chosen = needs_private_limits(shape, options);
  if (options.moment_order && !chosen)
    throw_error<UsageError>(
        "moment-order has no effect here: bounds were given, so no limits are chosen privately");
  const bool scales = chosen && !options.row_norm_bound;
  for (const auto& [name, share, used] : {std::tuple("limit-share", options.limit_share, chosen),
                                          std::tuple("column-share", options.column_share, scales)})
    if (share.value_or(0) > 0 && !used)
      throw_error<UsageError>(
          "{} has no effect here: {} known from the schema, a row-bound, or limits that were given", name,
          chosen ? "the size of the rows is" : "all sizes are");
}

LimitQueries plan_private_limits(const Shape& shape, const Options& options) {
  options.validate();
  if (options.slope_limit || options.curvature_limit)
    throw_error<UsageError>(
        "give both a slope-limit and a curvature-limit, or neither: one alone has no meaning in units "
        "that are chosen privately");
  LimitQueries queries;
  const auto* link = std::get_if<Link>(&shape.loss);
  const bool regression = link && !facts(*link).classification;
  const bool counts = link && link->kind == LinkKind::poisson;
  queries.rows = !options.row_norm_bound;
  queries.label_map = regression && !counts && !options.label_bound;
  queries.label_bound = counts && !options.label_bound;
  queries.gradients = link && slope_depends_on_label(*link);

  const int sizes = queries.rows + 3 * queries.label_map + queries.label_bound + queries.gradients;
  queries.share = choose_share(shape, options, sizes);
  queries.epsilon = div_down(mul_down(queries.share, options.epsilon), sizes);
  const std::size_t columns = shape.features - (shape.intercept != 0 ? 1 : 0);
  if (queries.rows && columns > 0) queries.column_share = choose_column_share(shape, options, columns);
  if (queries.column_share > 0) {
    queries.columns = columns;
    queries.column_epsilon =
        div_down(mul_down(queries.column_share, options.epsilon), static_cast<double>(columns));
  }
  if (queries.share + queries.column_share > most_shares)
    throw_error<UsageError>(
        "the sizes would take a share of {:.3g} of epsilon (limit-share {:.3g}, column-share {:.3g}), "
        "expected at most {}",
        queries.share + queries.column_share, queries.share, queries.column_share, most_shares);
  queries.steps = planned_steps(shape, queries);
  // The meter rounds the sum up at every step.
  const double rounding = 1e-11 + 0x1p-50 * static_cast<double>(queries.steps.size());
  queries.rest = (1 - queries.share - queries.column_share - rounding) * options.epsilon;
  return queries;
}

Release with_private_limits(const Problem& problem, const Options& options, Meter& meter, const Solve& solve,
                            const PlanSteps& plan) {
  validate(problem);
  const Shape shape = public_shape(problem, options);
  require_effect(shape, options);
  if (!needs_private_limits(shape, options)) return solve(problem, options, meter);
  if (problem.data->shards)
    throw_error<UsageError>(
        "sizes are chosen privately from records in one place only; give the target its min and max in the "
        "schema");
  require_relation(options, meter);
  if (!std::holds_alternative<Pure>(meter.budget().limit))  // the fit's cost depends on released sizes
    throw_error<UsageError>(
        "limits are chosen privately under pure privacy only; give a schema, or a row-bound, "
        "or a slope-limit and a curvature-limit");
  if (options.domain || !std::holds_alternative<WholeSpace>(problem.domain))
    throw_error<UsageError>(
        "limits that are chosen privately change the units of the parameters: a domain needs a "
        "slope-limit and a curvature-limit, or a row-bound");
  const LimitQueries queries = plan_private_limits(shape, options);

  if (plan) plan(shape, with_typical_limits(options, queries));

  // 1. Choose the sizes; 2. fit in their units; 3. back to the units of the features.
  const PrivateSizes sizes = choose_sizes(problem, options, queries, meter);
  const Dataset data = scaled(*problem.data, sizes.units);
  const Problem fit{
      .data = &data, .loss = problem.loss, .intercept = problem.intercept, .domain = problem.domain};
  Options inner = options;
  inner.epsilon = queries.rest;
  inner.slope_limit = sizes.limits.slope;
  inner.curvature_limit = sizes.limits.curvature;
  if (sizes.label_bound) inner.label_bound = sizes.label_bound;
  const Release release = solve(fit, inner, meter);

  Facts stated = release.certificate.options;
  state_choice(stated, options, queries, sizes.label_bound);
  sizes.units.record(stated);
  return {release.parameters.map(unscaled, Public(sizes.units), Public(shape)),
          certify(release.certificate.method, meter, std::move(stated), public_facts(shape, options),
                  release.certificate.assumptions)};
}

namespace {

// A run as its certificate states it.
struct CertifiedRun {
  Shape shape;
  Options asked, fit;                   // before the choice, and for the fit after it
  std::optional<LimitQueries> queries;  // none: the limits were given
};

CertifiedRun certified_run(const Facts& facts, const Facts& assumed_public) {
  Facts all = facts;
  for (const char* key : {"row_norm_bound", "label_bound"})
    if (assumed_public.has(key)) all.set(key, assumed_public.number(key));
  const Options fit = Options::from(all);
  CertifiedRun run{shape_from(assumed_public), fit, fit, std::nullopt};
  if (!facts.has("limits")) return run;
  // What is public of the choice; the sizes themselves came out of it.
  run.asked.slope_limit = run.asked.curvature_limit = std::nullopt;
  if (!assumed_public.has("label_bound")) run.asked.label_bound = std::nullopt;
  run.queries = plan_private_limits(run.shape, run.asked);
  run.fit.epsilon = run.queries->rest;
  return run;
}

}  // namespace

std::vector<Step> rebuild_steps(const Facts& facts, const Facts& assumed_public, const PlanSteps& plan) {
  const CertifiedRun run = certified_run(facts, assumed_public);
  std::vector<Step> steps = run.queries ? run.queries->steps : std::vector<Step>{};
  std::ranges::copy(plan(run.shape, run.fit), std::back_inserter(steps));
  return steps;
}

Facts rebuild_options(const Facts& facts, const Facts& assumed_public, const PlanFacts& plan) {
  const CertifiedRun run = certified_run(facts, assumed_public);
  Facts rebuilt = plan(run.shape, run.fit);
  if (!run.queries) return rebuilt;
  state_choice(rebuilt, run.asked, *run.queries,
               run.queries->label_bound ? std::optional(facts.number("label_bound")) : std::nullopt);
  Units::from(facts).record(rebuilt);
  return rebuilt;
}

Vector as_released(const Vector& parameters, const Facts& options, const Facts& assumed_public) {
  if (!options.has("feature_exponents")) return parameters;
  const Shape shape = shape_from(assumed_public);
  Units units = Units::from(options);
  const std::size_t columns = shape.features - (shape.intercept != 0 ? 1 : 0);
  if (static_cast<std::size_t>(parameters.size()) != shape.parameters() ||
      (units.exponents.size() != 1 && units.exponents.size() != columns))
    throw_error<VerificationError>("the certificate states {} feature exponents for {} columns",
                                   units.exponents.size(), columns);
  for (int& e : units.exponents) e = -e;
  return unscaled(parameters, units, shape);
}

LabelMap label_map(const Facts& options) {
  if (!options.has("label_scale")) return {};
  return {options.number("label_offset"), options.number("label_scale")};
}

}  // namespace tacit::inline v1::heavy_tails
