#include "algorithm/heavy_tails/localized.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/heavy_tails/centered_solvers.hpp"
#include "algorithm/onto_domain.hpp"
#include "algorithm/secret_parts.hpp"
#include "domain/local.hpp"
#include "domain/text.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/domain.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// λ₁D²/2, what the first pull costs, and (λ₂/2)r₁², what its noise of r₁ ≈ 1.25Ξ/λ₁ costs the second phase, Ξ
// = s·d/(m₁ε), s = 2C for a replaced record and C for a null one, are least together at λ₁ = √32·1.25·Ξ/D
// [heuristic: utility only].
constexpr double theorem_pull = 8;
constexpr double phase_growth = 32;  // λ_t = 32^{t−1} λ₁ [Lowy26, Alg. 1, line 7]
// Hoeffding: most of J blocks that are good with probability 0.7 each are, but for probability e^{−2·0.2²·J}
// [heuristic: utility only].
constexpr double blocks_per_log = 12.5;

// What the solver does on the records of one block, which are no other's.
Step block_of(std::vector<Step> steps, std::size_t blocks) {
  std::vector<Event> events;
  for (const Step& step : steps) events.push_back(step.event);
  Step block;
  block.mechanism = "block";
  block.event = PureEvent{std::get<Pure>(compose(events, Pure{1})).epsilon};
  block.times = blocks;
  block.inner = std::move(steps);
  return block;
}

std::size_t phase_count(std::size_t records) {
  std::size_t phases = 0;
  for (std::size_t reach = 1; reach < records; reach *= 2) ++phases;
  return phases;
}

}  // namespace

const OptionTable<LocalizedOptions>& LocalizedOptions::table() {
  constexpr Range probability{.least = 1e-12, .most = 0.5 - 0x1p-54, .or_zero = true};
  Field<LocalizedOptions> solver =
      field(&LocalizedOptions::solver, "solver", any(),
            "what solves a block: limited-output, limited-objective, double-output or net-exponential");
  for (const CenteredSolver& known : centered_solvers()) solver.spec.words.push_back(known.name);
  solver.spec.range = options::list_of(solver.spec.words);
  Field<LocalizedOptions> schedule =
      field(&LocalizedOptions::schedule, "schedule", any(),
            "rule: one slope limit, the solver's regularisation; theorem: both fall as the records do");
  schedule.spec.words = {"rule", "theorem"};
  schedule.spec.range = options::list_of(schedule.spec.words);
  const auto by_theorem = [](const LocalizedOptions& o) { return o.schedule == "theorem"; };
  const auto on_a_net = [](const LocalizedOptions& o) { return o.solver == "net-exponential"; };
  Fields<LocalizedOptions> net = within(&LocalizedOptions::common, net_lines());
  for (Field<LocalizedOptions>& line : net.lines) {
    line.goes_with = "solver = net-exponential" + (line.goes_with.empty() ? "" : ", " + line.goes_with);
    line.matters = [on_a_net, inner = line.matters](const LocalizedOptions& o) {
      return on_a_net(o) && (!inner || inner(o));
    };
  }
  static const OptionTable<LocalizedOptions> table = {
      within(&LocalizedOptions::common, localized_table()),
      field(&LocalizedOptions::failure, "failure", probability,
            "probability that the risk bound may fail; blocks enough for it in each phase")
          .within_words("0, or 1e-12 to 0.5")
          .otherwise("0: one block, a bound in expectation"),
      solver,
      std::move(schedule).certified_if(by_theorem),
      field(&LocalizedOptions::tails, "tails", between(1, 1e6),
            "moments of the gradients that exist (k): slope limits fall with the k-th root of the records")
          .only_with("schedule = theorem", by_theorem),
      std::move(net),
      planned("phases"),
      planned("blocks")};
  return table;
}

void LocalizedOptions::validate() const {
  common.validate();
  table().validate(*this);
}

std::size_t localized_blocks(std::size_t records, double failure) {
  if (failure == 0) return 1;
  const auto phases = static_cast<double>(std::max<std::size_t>(1, phase_count(records)));
  return static_cast<std::size_t>(std::ceil(blocks_per_log * std::log(phases / failure)));
}

namespace {

// The extension needs a W that all phases share: without one, the ball of the radius around 0.
LocalizedOptions with_shared_domain(LocalizedOptions options) {
  if (options.common.extension.oracle != ExtensionOracle::limited && options.solver != "double-output")
    throw_error<UsageError>("oracle = {} needs the solver double-output, not {}",
                            name(options.common.extension.oracle), options.solver);
  if (options.common.domain && !find_centered_solver(options.solver).has_domain)
    throw_error<UsageError>("the solver {} takes no domain; limited-output and double-output do",
                            options.solver);
  if (options.common.extension.oracle == ExtensionOracle::extension && !options.common.domain)
    options.common.domain = domain_text(Ball{Vector::Zero(1), options.common.radius});
  return options;
}

double slope_limit(const LocalizedOptions& options, double first, std::size_t records,
                   std::size_t first_records) {
  if (options.schedule != "theorem") return first;
  return first *
         std::pow(static_cast<double>(records) / static_cast<double>(first_records), 1 / options.tails);
}

double first_regularisation(const CenteredSolver& solver, const Phase& phase, const LocalizedOptions& options,
                            const std::optional<Domain>& domain) {
  if (options.schedule != "theorem" || options.common.regularisation)
    return solver.regularisation(phase.shape, phase.options);
  const auto m = static_cast<double>(phase.shape.records), d = static_cast<double>(phase.shape.parameters());
  return theorem_pull * shift_of(*phase.options.slope_limit, options.common.neighbours) * d /
         (m * options.common.epsilon) / (2 * size_of_interest(options.common, domain));
}

}  // namespace

LocalizedPlan plan_localized(const Shape& shape, const LocalizedOptions& asked) {
  const LocalizedOptions options = with_shared_domain(asked);
  options.validate();
  const CenteredSolver& solver = find_centered_solver(options.solver);
  LocalizedPlan plan;
  plan.limits = choose_limits(shape, options.common);
  plan.blocks = localized_blocks(shape.records, options.failure);
  // The computed projection may be that much outside of the ball.
  plan.domain = solved_domain(shape, options.common);
  plan.center_bound =
      plan.domain ? largest_norm(*plan.domain)
                  : mul_up(projection_radius(options.common), 1.0 + gamma_bound(shape.parameters() + 8));

  for (std::size_t t = 1; t <= phase_count(shape.records); ++t) {
    Phase phase{.shape = shape, .options = options.common};
    phase.shape.records = (shape.records >> t) / plan.blocks;
    if (phase.shape.records == 0) break;
    phase.options.records = static_cast<std::int64_t>(phase.shape.records);
    phase.options.slope_limit =
        slope_limit(options, plan.limits.slope, phase.shape.records,
                    plan.phases.empty() ? phase.shape.records : plan.phases[0].shape.records);
    phase.options.curvature_limit = plan.limits.curvature;
    if (t == 1) plan.first_regularisation = first_regularisation(solver, phase, options, plan.domain);
    phase.options.regularisation =
        plan.first_regularisation * std::pow(phase_growth, static_cast<double>(t - 1));
    CenteredPlan centered = solver.plan(phase.shape, phase.options, plan.center_bound);
    if (centered.steps.empty()) {
      if (t == 1)
        throw_error<InfeasibleError>(
            "doubles near centers of norm {:.3g} are too coarse for a regularisation of {:.3g}: give less of "
            "it, or a smaller radius",
            plan.center_bound, *phase.options.regularisation);
      break;
    }
    plan.release.grid = centered.grid;
    phase.block = block_of(std::move(centered.steps), plan.blocks);
    plan.release.inner.push_back(phase.block);
    plan.phases.push_back(std::move(phase));
  }
  if (plan.phases.empty())
    throw_error<InfeasibleError>("{} record{} too few for {} blocks a phase: at least {} are needed",
                                 shape.records, shape.records == 1 ? " is" : "s are", plan.blocks,
                                 2 * plan.blocks);

  plan.release.mechanism = "population-localisation";
  plan.release.nesting = Parallel{};
  double dearest = 0;
  for (const Step& block : plan.release.inner)
    dearest = std::max(dearest, std::get<PureEvent>(block.event).epsilon);
  plan.release.event = PureEvent{dearest};
  plan.release.sensitivity.reason =
      "one record is in one block, assigned by a secret random order; the dearest block's epsilon";
  plan.release.scale = plan.phases.back().block.inner.back().scale;
  plan.release.dimension = shape.parameters();
  return plan;
}

Facts certified_options(const LocalizedPlan& plan, LocalizedOptions options) {
  options = with_shared_domain(options);
  options.common = settled(options.common, plan.limits, plan.first_regularisation);
  Facts more;
  more.set("phases", static_cast<std::int64_t>(plan.phases.size()));
  more.set("blocks", static_cast<std::int64_t>(plan.blocks));
  return LocalizedOptions::table().certified(options, more);
}

Vector geometric_aggregate(std::span<const Vector> points) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> distances;
    for (const Vector& other : points) distances.push_back((points[i] - other).norm());
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::ranges::nth_element(distances, middle);
    if (*middle < least) {
      least = *middle;
      best = i;
    }
  }
  return points[best];
}

namespace {

// Of every phase, one after the other.
std::vector<std::size_t> block_sizes(const LocalizedPlan& plan) {
  std::vector<std::size_t> sizes;
  for (const Phase& phase : plan.phases) sizes.insert(sizes.end(), plan.blocks, phase.shape.records);
  return sizes;
}

}  // namespace

Release localized(const Problem& problem, const LocalizedOptions& asked, Meter& meter) {
  validate(problem);
  LocalizedOptions options = asked;
  require_places(options.common, meter);
  options.common = with_domain(options.common, problem);
  options = with_shared_domain(options);
  require_sums_only(problem, options.common);
  const Shape shape = public_shape(problem, options.common);
  const LocalizedPlan plan = plan_localized(shape, options);
  const CenteredSolver& solver = find_centered_solver(options.solver);
  Meter blocks = meter.child(plan.release);

  // Notation [Lowy26, Alg. 1]: t counts phases, j blocks; w̄_t = center.
  const SecretParts parts(*problem.data, block_sizes(plan), meter.bits(), shape.records);
  std::size_t used = 0;
  Released<Vector> w(Public(Vector(Vector::Zero(static_cast<Eigen::Index>(shape.parameters())))));
  const double radius = projection_radius(options.common);
  for (const Phase& phase : plan.phases) {
    // The center is the nearest point of W, or of a public ball.
    const Vector center = plan.domain ? project(*plan.domain, w.value()).point : onto_ball(w.value(), radius);
    Released<std::vector<Vector>> points{Public(std::vector<Vector>{})};
    for (std::size_t j = 0; j < plan.blocks; ++j) {
      // 8.–10. The block's own records, those of its places that are not null, solved around w̄_t with a
      // budget of its own.
      const Dataset block = parts.part(used++);
      Problem part = problem;
      part.data = &block;
      Meter own = blocks.child(phase.block);
      points.update([](std::vector<Vector>& all, const Vector& point) { all.push_back(point); },
                    solver.solve(center, plan.center_bound, part, phase.options, own));
    }
    // 12. Aggregate.
    w = points.map([](const std::vector<Vector>& all) { return geometric_aggregate(all); });
  }
  w = onto_domain(w, stated_domain(shape, options.common).value_or(WholeSpace{}), plan.release.grid);

  return {std::move(w),
          certify("localized", meter, certified_options(plan, options), public_facts(shape, options.common))};
}

}  // namespace tacit::inline v1::heavy_tails
