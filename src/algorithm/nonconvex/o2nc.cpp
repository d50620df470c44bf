#include "algorithm/nonconvex/o2nc.hpp"

#include <cmath>

#include "algorithm/clipping/dp_sgd.hpp"
#include "algorithm/partition.hpp"
#include "algorithm/rows.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::nonconvex {

namespace {

double uniform(BitSource& bits) {
  std::uint64_t word = 0;
  bits.fill({&word, 1});
  return static_cast<double>(word >> 11) * 0x1p-53;
}

void clip_to(Vector& x, double length) {
  if (const double norm = x.norm(); norm > length) x *= length / norm;
}

// The means of blocks of M iterates, of which one is kept. Blocks are counted from the end: where M does not
// divide T the first few iterates are in none.
class BlockMean {
 public:
  BlockMean(const Sizes& sizes, Output output, Eigen::Index parameters, BitSource& bits)
      : size_(sizes.averaging), sum_(Vector::Zero(parameters)) {
    const std::size_t blocks = sizes.steps / sizes.averaging;
    const std::size_t block = output == Output::last ? blocks - 1 : draw_below(blocks, bits);
    first_ = sizes.steps % sizes.averaging + block * size_;
  }
  void add(const Vector& z) {
    if (seen_ >= first_ && seen_ - first_ < size_) sum_ += z;
    ++seen_;
  }
  Vector mean(double grid) const {
    Vector x = sum_ / static_cast<double>(size_);
    for (double& v : x) v = std::nearbyint(v / grid) * grid + 0.0;  // + 0.0: no −0
    return x;
  }

 private:
  std::size_t size_, first_ = 0, seen_ = 0;
  Vector sum_;
};

}  // namespace

Facts certified_options(const Plan& plan, Options options) {
  options.smoothing = plan.sizes.smoothing;
  options.step_cap = plan.sizes.step_cap;
  options.step_size = plan.step_size;
  options.steps = static_cast<std::int64_t>(plan.sizes.steps);
  options.averaging = static_cast<std::int64_t>(plan.sizes.averaging);
  options.period = static_cast<std::int64_t>(plan.sizes.period);
  options.directions = static_cast<std::int64_t>(plan.sizes.directions);
  if (options.pass == Pass::sampled) {
    options.batch = static_cast<std::int64_t>(plan.start.batch);
    options.noise_multiplier = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  }
  Facts worked_out;
  if (plan.bound) worked_out.set("stationarity_bound", plan.bound->total());
  return Options::table(options.pass, options.estimate).certified(options, worked_out);
}

namespace {

// Where the released gradients have led. Notation [Kornowski24, Alg. 2].
struct Walk {
  Vector x, delta;  // x_{t−1}, Δ_t
  BlockMean block;

  // 6., 8. Online gradient descent over the ball of radius D. 11.–14.
  static void step(Walk& walk, const Vector& gradient, const Vector& z, const Plan& plan) {
    walk.x += walk.delta;
    walk.delta -= plan.step_size * gradient;
    clip_to(walk.delta, plan.sizes.step_cap);
    walk.block.add(z);
  }
};

}  // namespace

// Notation [Kornowski24, Alg. 2]: g = g̃_t.
Released<Vector> o2nc(const GradientOracle& oracle, const Vector& start, const Plan& plan, Output output,
                      BitSource& bits, const Observer& observer) {
  const Sizes& sizes = plan.sizes;
  Released<Walk> walk(
      Public(Walk{start, Vector::Zero(start.size()), BlockMean(sizes, output, start.size(), bits)}));
  for (std::size_t t = 1; t <= sizes.steps; ++t) {
    // 4.–6. A random point of the segment that this step walks.
    const Vector z = walk.value().x + uniform(bits) * walk.value().delta;
    // 7. Its private gradient, and the step that it tells.
    walk.update(Walk::step, oracle(z), Public(z), Public(plan));
    if (observer) observer(t, z);
    if (plan.timed) tell_progress(t, sizes.steps);
  }
  return walk.map([](const Walk& all, double grid) { return all.block.mean(grid); },
                  Public(plan.release.grid));
}

GradientOracle oracle_for(const RecordLoss& loss, const Plan& plan, const Options& options, Meter& meter,
                          std::shared_ptr<Shards> shards) {
  switch (options.pass) {
    case Pass::multi:
      return multi_pass_oracle(loss, plan, options, meter, std::move(shards));
    case Pass::sampled:
      return sampled_oracle(loss, plan, options, meter, std::move(shards));
    default:
      return single_pass_oracle(loss, plan, options, meter, std::move(shards));
  }
}

namespace {

void require_relation(const Options& options, const Meter& meter) {
  const Budget& budget = meter.budget();
  if (budget.unit != Unit::item)
    throw_error<UsageError>("the o2nc methods protect single records, not the unit {}",
                            record_or_user(budget.unit));
  if (options.pass == Pass::sampled && budget.neighbours != Neighbours::zero_out)
    throw_error<UsageError>("o2nc-sampled protects single records under zero_out, not {}",
                            name(budget.neighbours));
  if (options.pass != Pass::sampled && budget.neighbours != options.neighbours)
    throw_error<UsageError>("the run is planned for {} neighbours, but the budget is for {}",
                            name(options.neighbours), name(budget.neighbours));
}

Released<Vector> run(const RecordLoss& loss, const Vector& start, const Plan& plan, const Options& options,
                     Meter& meter, const Observer& observer, std::shared_ptr<Shards> shards = nullptr) {
  require_relation(options, meter);
  if (static_cast<std::size_t>(start.size()) != loss.parameters)
    throw_error<UsageError>("the start has {} numbers, the loss {} parameters", start.size(),
                            loss.parameters);
  if (!start.allFinite()) throw_error<UsageError>("the start has a number that is not finite");
  announce(plan, options);
  return o2nc(oracle_for(loss, plan, options, meter, std::move(shards)), start, plan, options.output,
              meter.bits(), observer);
}

}  // namespace

Released<Vector> minimise(const RecordLoss& loss, const Vector& start, const Options& asked, Meter& meter,
                          const Observer& observer) {
  Options options = asked;
  options.neighbours = meter.budget().neighbours;
  const Plan plan =
      plan_o2nc(public_records(loss.records, options.neighbours, options.records), loss.parameters, options);
  return run(loss, start, plan, options, meter, observer);
}

Release fit(std::string_view method, const Problem& problem, const Options& options, Meter& meter) {
  validate(problem);
  const Shape shape = public_shape(problem, meter.budget().neighbours, options.records);
  const Plan plan = plan_o2nc(shape.records, shape.parameters(), options, shape.shards);
  Released<Vector> w = run(record_loss(problem), clipping::initial_parameters(shape, options.seed), plan,
                           options, meter, {}, problem.data->shards);
  return {std::move(w),
          certify(std::string(method), meter, certified_options(plan, options), shape_facts(shape))};
}

}  // namespace tacit::inline v1::nonconvex
