#include "audit/replay/nonconvex_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/nonconvex/o2nc.hpp"
#include "audit/replay/recorded_bits.hpp"
#include "audit/replay/worst.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

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
  if (!sampled) return options;
  options.batch = certificate.assumed_public.integer("records");
  options.noise_multiplier.reset();  // that of smaller batches would not pay for theirs
  return options;
}

// What an oracle opens along the path.
std::vector<Opened> opened_along(const std::vector<Vector>& path, const Problem& problem,
                                 const nonconvex::Plan& plan, const nonconvex::Options& options,
                                 Neighbours neighbours, BitSource& bits) {
  std::vector<Opened> opened;
  RootMeter meter({options.target, Unit::item, neighbours}, bits);
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

bool same_mechanisms(const std::vector<Step>& a, const std::vector<Step>& b) {
  return std::ranges::equal(a, b, {}, &Step::mechanism, &Step::mechanism);
}

}  // namespace

std::vector<Check> nonconvex_checks(const Replayed& replayed) {
  const Certificate& certificate = replayed.runs[0].release->certificate;
  const nonconvex::Options options = options_of(certificate);
  const Shape shape = shape_of(replayed.problems[0]);
  const nonconvex::Plan plan =
      nonconvex::plan_o2nc(static_cast<std::size_t>(certificate.assumed_public.integer("records")),
                           shape.parameters(), options, shape_from(certificate.assumed_public).shards);
  if (!same_mechanisms(certificate.steps, plan.charged()))
    return {{CheckKind::outcome, "the steps are those of a run of o2nc", "", 0, 1}};

  // Near the start, where a run goes, and far away, where none does: the black box takes the pair that moves
  // most where it can be seen.
  Movement near{CheckKind::movement, "near the start"}, far{CheckKind::ideal, "far away"};
  const auto source = noise::system_bits();
  const Vector origin = clipping::initial_parameters(shape, options.seed);
  std::mt19937_64 random(1);  // where to look, not noise
  std::normal_distribution<> normal;
  for (const double size : {0.0, 1e-3, 1.0, 1e3, 1e8, 1e30}) {
    std::vector<Vector> path;
    for (std::size_t t = 0; t < plan.sizes.steps; ++t)
      path.push_back(origin + Vector::NullaryExpr(origin.size(), [&] { return size * normal(random); }));
    RecordedBits bits(*source);
    const auto first = opened_along(path, replayed.problems[0], plan, options, certificate.neighbours, bits);
    bits.rewind();
    const auto second = opened_along(path, replayed.problems[1], plan, options, certificate.neighbours, bits);
    Movement& moved = size < 1 ? near : far;
    for (std::size_t t = 0; t < first.size(); ++t) {
      const bool fresh = t % plan.sizes.period == 0;
      keep_worst(fresh ? moved.start : moved.change, (fresh ? plan.start : plan.change).sensitivity.total(),
                 distance(first[t].value, second[t].value));
    }
  }
  if (plan.sizes.period == 1) return {near.start, far.start};
  return {near.start, near.change, far.start, far.change};
}

}  // namespace tacit::inline v1::audit
