#include "tacit/algorithm/nonconvex/o2nc.hpp"

#include <cmath>

#include "tacit/algorithm/clipping/dp_sgd.hpp"
#include "tacit/algorithm/heavy_tails/options.hpp"
#include "tacit/algorithm/partition.hpp"
#include "tacit/core/error.hpp"
#include "tacit/core/planned_work.hpp"
#include "tacit/privacy/target_facts.hpp"

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

Facts certified_options(const Plan& plan, const Options& options) {
  Facts facts;
  set_target(facts, options.target);
  facts.set("estimate", std::string(name(options.estimate)));
  facts.set("bound", std::string(name(options.bound)));
  if (options.pass == Pass::single) facts.set("prefix_sums", std::string(name(options.prefix)));
  facts.set("output", std::string(name(options.output)));
  facts.set("lipschitz", options.lipschitz);
  facts.set("smoothing", plan.sizes.smoothing);
  facts.set("step_cap", plan.sizes.step_cap);
  facts.set("step_size", plan.step_size);
  facts.set("steps", static_cast<std::int64_t>(plan.sizes.steps));
  facts.set("averaging", static_cast<std::int64_t>(plan.sizes.averaging));
  facts.set("period", static_cast<std::int64_t>(plan.sizes.period));
  facts.set("directions", static_cast<std::int64_t>(plan.sizes.directions));
  facts.set("seed", options.seed);
  return facts;
}

}  // namespace

// Notation [Kornowski24, Alg. 2]: x = x_{t−1}, delta = Δ_t, g = g̃_t.
Released<Vector> o2nc(const GradientOracle& oracle, const Vector& start, const Plan& plan, Output output,
                      BitSource& bits, const Observer& observer) {
  const Sizes& sizes = plan.sizes;
  BlockMean block(sizes, output, start.size(), bits);
  Vector x = start, delta = Vector::Zero(start.size());
  std::optional<Released<Vector>> g;
  for (std::size_t t = 1; t <= sizes.steps; ++t) {
    // 4.–6. A random point of the segment that this step walks.
    const Vector z = x + uniform(bits) * delta;
    x += delta;
    // 7. Its private gradient.
    g = oracle(z);
    // 8. Online gradient descent over the ball of radius D.
    delta -= plan.step_size * g->value();
    clip_to(delta, sizes.step_cap);
    // 11.–14.
    block.add(z);
    if (observer) observer(t, z);
    tell_progress(t, sizes.steps);
  }
  return g->map([&](const Vector&) { return block.mean(plan.release.grid); });
}

namespace {

Released<Vector> run(const RecordLoss& loss, const Vector& start, const Plan& plan, const Options& options,
                     Meter& meter, const Observer& observer) {
  heavy_tails::require_replaced_records(meter);
  if (static_cast<std::size_t>(start.size()) != loss.parameters)
    throw_error<UsageError>("the start has {} numbers, the loss {} parameters", start.size(),
                            loss.parameters);
  foretell(plan, options);
  meter.charge(plan.release);
  const GradientOracle oracle = options.pass == Pass::single ? single_pass_oracle(loss, plan, options, meter)
                                                             : multi_pass_oracle(loss, plan, options, meter);
  return o2nc(oracle, start, plan, options.output, meter.bits(), observer);
}

}  // namespace

Released<Vector> minimise(const RecordLoss& loss, const Vector& start, const Options& options, Meter& meter,
                          const Observer& observer) {
  return run(loss, start, plan_o2nc(loss.records, loss.parameters, options), options, meter, observer);
}

Release fit(std::string_view method, const Problem& problem, const Options& options, Meter& meter) {
  validate(problem);
  const Shape shape = shape_of(problem);
  const Plan plan = plan_o2nc(shape.records, shape.parameters(), options);
  Released<Vector> w =
      run(record_loss(problem), clipping::initial_parameters(shape, options.seed), plan, options, meter, {});
  return {std::move(w), certify(std::string(method), meter, certified_options(plan, options),
                                heavy_tails::public_facts(shape, {}))};
}

}  // namespace tacit::inline v1::nonconvex
