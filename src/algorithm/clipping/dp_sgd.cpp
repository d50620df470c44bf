#include "algorithm/clipping/dp_sgd.hpp"

#include <cmath>

#include "algorithm/clipping/run.hpp"
#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/rows.hpp"
#include "noise/restore.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace clipping {

namespace {

// What private-min released, now or in the process that this one goes on from.
double chosen_clip_norm(const Problem& problem, const Shape& shape, const Plan& plan, const Options& options,
                        Meter& meter) {
  if (const auto state = noise::restored(meter)) {
    meter.charge(*plan.choice);
    return state->value()[saved_clip_norm];
  }
  return private_clip_norm(problem, private_min_of(options, shape.records), meter).value();
}

Facts certified_options(const Plan& plan, Options options) {
  options.batch = plan.batch;
  options.epochs = plan.epochs;
  options.step_length = plan.step_length;
  options.noise_multiplier = std::get<PoissonGaussianEvent>(plan.release.event).noise_multiplier;
  Facts more;
  if (options.private_min) more.set("chosen_clip_norm", plan.clip.norm);
  if (options.schedule) options.clip_norm = plan.clip.norm;
  if (plan.risk_bound) more.set("risk_bound", *plan.risk_bound);
  return Options::table().certified(options, more);
}

// Said before anything is spent.
void announce_bound(const Plan& plan, const Options& options) {
  if (!options.schedule) return;
  const bool convex = *options.schedule != Theorem::nonconvex;
  if (!plan.risk_bound)
    announce(fmt::format("The schedule's theorem has no bound for iterate = {}.", name(options.iterate)));
  else
    announce(fmt::format("The theorem's bound on the {} is {:.3g}, if what it was told of the data is true.",
                         convex ? "excess risk" : "mean squared norm of the gradient", *plan.risk_bound));
}

// splitmix64 [Steele–Lea–Flood 2014]: the k-th number of a public sequence, as a double in [−1, 1).
double public_number(std::int64_t seed, std::uint64_t k) {
  std::uint64_t x = static_cast<std::uint64_t>(seed) * 0xd1342543de82ef95u + (k + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>(static_cast<std::int64_t>(x ^ (x >> 31))) * 0x1p-63;
}

}  // namespace

void require_drawn_start(const Facts& facts, const LossSpec& loss) {
  const bool drawn = std::holds_alternative<Network>(loss) || std::holds_alternative<RobustFit>(loss);
  if (!drawn && facts.has("seed"))
    throw_error<UsageError>("seed has no effect without a network, phase-retrieval or max-affine");
}

Vector initial_parameters(const Shape& shape, std::int64_t seed) {
  Vector w = Vector::Zero(static_cast<Eigen::Index>(shape.parameters()));
  const bool robust = std::holds_alternative<RobustFit>(shape.loss);
  if (shape.hidden == 0 && !robust) return w;
  // Uniform with variance 1/inputs in the first layer, so that units differ; zero in the second, so that the
  // first outputs favour nothing. At 0 the gradient of ⟨a,w⟩² vanishes and affine pieces never part.
  const double scale = std::sqrt(3 / static_cast<double>(shape.features));
  const std::size_t rows = robust ? shape.outputs : shape.hidden;
  for (std::size_t k = 0; k < rows * shape.features; ++k)
    w[static_cast<Eigen::Index>(k)] = scale * public_number(seed, k);
  return w;
}

Release dp_sgd(const Problem& problem, const Options& asked, Meter& meter, const Observer& observer) {
  validate(problem);
  const Shape shape = public_shape_of_clipped(problem, asked.neighbours, asked.records);
  const Options options = with_schedule(shape.records, shape.parameters(), asked);
  if (options.neighbours != meter.budget().neighbours)
    throw_error<UsageError>("dp-sgd is planned for {} neighbours, but the budget is for {}",
                            name(options.neighbours), name(meter.budget().neighbours));
  if (problem.data->shards && options.private_min)
    throw_error<UsageError>("clip-norm private-min needs all records in one place; fit them without shards");
  Plan plan = plan_dp_sgd(shape, options);
  announce_bound(plan, options);
  if (plan.choice) {
    plan.clip.threshold = 0;
    plan.clip.norm = chosen_clip_norm(problem, shape, plan, options, meter);
  }
  const Vector start = initial_parameters(shape, options.seed);
  Released<Vector> w = problem.data->shards
                           ? train(sums_of_shards(remote_clipped_sums(problem, plan.clip)), start, plan,
                                   options, meter, observer)
                           : train(clipped_sums(problem, plan.clip, options.threads), problem.data->size(),
                                   start, plan, options, meter, observer);
  return {std::move(w), certify("dp-sgd", meter, certified_options(plan, options), shape_facts(shape))};
}

namespace {

// What a certificate states, as the options it was planned with.
Options certified(const Facts& options, const Facts& assumed_public) {
  Facts all = options;
  all.set("records", assumed_public.integer("records"));
  return Options::from(all);
}

std::vector<Step> rebuilt_steps(const Facts& options, const Facts& assumed_public) {
  const Plan plan = plan_dp_sgd(shape_from(assumed_public), certified(options, assumed_public));
  std::vector<Step> steps;
  if (plan.choice) steps.push_back(*plan.choice);
  steps.push_back(plan.release);
  return steps;
}

Facts rebuilt_options(const Facts& facts, const Facts& assumed_public) {
  const Options options = certified(facts, assumed_public);
  Plan plan = plan_dp_sgd(shape_from(assumed_public), options);
  if (options.private_min) plan.clip.norm = facts.number("chosen_clip_norm");
  return certified_options(plan, options);
}

}  // namespace

}  // namespace clipping

// Features of wavelets are many and small, so steps are long [heuristic: utility only, docs/features.md].
constexpr double step_for_wavelets = 16;

Method dp_sgd_method() {
  return with_options(
      {.name = "dp-sgd",
       .notions = {Notion::approx, Notion::gaussian},
       .unit = Unit::item,
       .paper = "Das23",
       .summary = "stochastic gradient descent with clipped gradients, Poisson batches and Gaussian noise",
       .assumes = "nothing",
       .neighbours = {Neighbours::zero_out, Neighbours::add_remove},
       .resumable = true,
       .weighs = true,
       .sharded = true,
       .wavelet_step = step_for_wavelets,
       .unsuitable = [](const Shape&) { return std::string(); },
       .fit =
           [](const Problem& problem, const Facts& options, Meter& meter) {
             clipping::require_drawn_start(options, problem.loss);
             return clipping::dp_sgd(problem, clipping::Options::from(with_relation(options, meter)), meter);
           },
       .rebuild_steps = clipping::rebuilt_steps,
       .rebuild_options = clipping::rebuilt_options},
      clipping::Options::table());
}

}  // namespace tacit::inline v1
