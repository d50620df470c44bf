#include "nonconvex_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacit/algorithm/clipping/dp_sgd.hpp"
#include "tacit/algorithm/nonconvex/o2nc.hpp"
#include "tacit/audit/recorded_bits.hpp"
#include "tacit/noise/system_bits.hpp"
#include "tacit/privacy/account.hpp"
#include "tacit/privacy/root_meter.hpp"

namespace tacit::inline v1::audit {

namespace {

using nonconvex::Pass;

// Of a sampled run all records are made to join: who joins is drawn after who is there, so that the same bits
// would draw other batches for the two neighbours. Lengths are in proportion to 1/B, in sums and sensitivity.
nonconvex::Options options_of(const Certificate& certificate) {
  const bool sampled = certificate.method == "o2nc-sampled";
  const Pass pass = sampled ? Pass::sampled : certificate.method == "o2nc-multi" ? Pass::multi : Pass::single;
  nonconvex::Options options =
      nonconvex::Options::from(certificate.options, pass, nonconvex::Estimate::values);
  if (sampled) options.batch = certificate.assumed_public.integer("records");
  return options;
}

// What an oracle opens along the path.
std::vector<Opened> opened_along(const std::vector<Vector>& path, const Problem& problem,
                                 const nonconvex::Plan& plan, const nonconvex::Options& options,
                                 BitSource& bits) {
  std::vector<Opened> opened;
  const bool sampled = options.pass == Pass::sampled;
  RootMeter meter({options.target, Unit::item, sampled ? Neighbours::zero_out : Neighbours::replace_one},
                  bits);
  meter.watch([&](const Step& step, std::span<const double> value) {
    opened.push_back({step, {value.begin(), value.end()}});
  });
  const RecordLoss loss = record_loss(problem);
  const nonconvex::GradientOracle oracle = nonconvex::oracle_for(loss, plan, options, meter);
  for (const Vector& z : path) oracle(z);
  return opened;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::hypot(sum, a[k] - b[k]);
  return sum;
}

// How far the sums of a batch move at points of one sort.
struct Movement {
  Movement(CheckKind kind, const char* where)
      : start{kind, fmt::format("how far a batch's gradient moves {}, within its sensitivity", where), "", 0,
              0},
        change{kind, fmt::format("how far a batch's change moves {}, within its sensitivity", where), "", 0,
               0} {}

  Check start, change;
};

void raise(Check& check, double bound, double measured) {
  if (check.bound == 0 || !(measured / bound <= check.measured / check.bound)) {
    check.bound = bound;
    check.measured = measured;
  }
}

// The two kinds of sampled releases, with the noise that they have, together.
double sampled_cost(const std::vector<Opened>& opened, std::size_t period, const Certificate& certificate) {
  std::vector<Event> events;
  for (std::size_t kind = 0; kind < certificate.steps.size(); ++kind) {
    PoissonGaussianEvent event = std::get<PoissonGaussianEvent>(certificate.steps[kind].event);
    event.steps = 0;
    for (std::size_t t = 0; t < opened.size(); ++t) {
      if ((t % period == 0) != (kind == 0)) continue;
      ++event.steps;
      const Step& step = opened[t].step;
      event.noise_multiplier = std::min(event.noise_multiplier, step.scale / step.sensitivity.total());
    }
    events.emplace_back(event);
  }
  return std::get<Approx>(compose(events, certificate.guarantee)).epsilon;
}

// A step of a single pass costs what the dearest sum does; sums over the same records add up in squares. The
// prefix sums of a period are one stream, whose cost every increment of it states.
double cost_of(const std::vector<Opened>& opened, Pass pass, std::size_t period,
               const Certificate& certificate) {
  if (pass == Pass::sampled) return sampled_cost(opened, period, certificate);
  double dearest = 0, squares = 0;
  for (const Opened& one : opened) {
    const double mu = std::get<GaussianEvent>(one.step.event).mu;
    dearest = std::max(dearest, mu);
    squares += mu * mu;
  }
  return pass == Pass::single ? dearest : std::sqrt(squares);
}

// mu, or epsilon where the batches are sampled.
double charged_cost(const Certificate& certificate) {
  if (const auto* gaussian = std::get_if<GaussianEvent>(&certificate.steps[0].event)) return gaussian->mu;
  return std::get<Approx>(certificate.guarantee).epsilon;
}

bool same_mechanisms(const std::vector<Step>& a, const std::vector<Step>& b) {
  return std::ranges::equal(a, b, {}, &Step::mechanism, &Step::mechanism);
}

}  // namespace

std::vector<Check> nonconvex_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  const nonconvex::Options options = options_of(certificate);
  const Shape shape = shape_of(replayed.problems[0]);
  const nonconvex::Plan plan = nonconvex::plan_o2nc(
      static_cast<std::size_t>(certificate.assumed_public.integer("records")), shape.parameters(), options);
  if (!same_mechanisms(certificate.steps, plan.charged()))
    return {{CheckKind::outcome, "the steps are those of a run of o2nc", "", 0, 1}};

  // Near the start, where a run goes, and far away, where none does: the black box takes the pair that moves
  // most where it can be seen.
  Movement near{CheckKind::movement, "near the start"}, far{CheckKind::ideal, "far away"};
  Check cost{CheckKind::account, "what the batches cost together, within what is charged", "",
             charged_cost(certificate), 0};
  const auto source = noise::system_bits();
  const Vector origin = clipping::initial_parameters(shape, options.seed);
  std::mt19937_64 random(1);  // where to look, not noise
  std::normal_distribution<> normal;
  for (const double size : {0.0, 1e-3, 1.0, 1e3, 1e8, 1e30}) {
    std::vector<Vector> path;
    for (std::size_t t = 0; t < plan.sizes.steps; ++t)
      path.push_back(origin + Vector::NullaryExpr(origin.size(), [&] { return size * normal(random); }));
    RecordedBits bits(*source);
    const auto first = opened_along(path, replayed.problems[0], plan, options, bits);
    bits.rewind();
    const auto second = opened_along(path, replayed.problems[1], plan, options, bits);
    Movement& moved = size < 1 ? near : far;
    for (std::size_t t = 0; t < first.size(); ++t) {
      const bool fresh = t % plan.sizes.period == 0;
      raise(fresh ? moved.start : moved.change, (fresh ? plan.start : plan.change).sensitivity.total(),
            distance(first[t].value, second[t].value));
    }
    cost.measured = std::max(cost.measured, cost_of(first, options.pass, plan.sizes.period, certificate));
  }
  // What rounding the composition's square root can add.
  cost.bound *= 1 + 1e-12;
  if (plan.sizes.period == 1) return {near.start, far.start, cost};
  return {near.start, near.change, far.start, far.change, cost};
}

}  // namespace tacit::inline v1::audit
