#include "algorithm/plain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/rows.hpp"
#include "loss/limited.hpp"
#include "solver/certified.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::plain {

const OptionTable<Options>& Options::table() {
  static const OptionTable<Options> table = {
      field(&Options::regularisation, "regularisation", above(0),
            "strength of the pull towards 0, per record (lambda)"),
      field(&Options::tolerance, "tolerance", open(0, 1), "gradient left at the end, relative to the start")
          .uncertified(),
      field(&Options::threads, "threads", any(), "").internal().uncertified()};
  return table;
}

namespace {

struct RecordSizes {
  double row = 0;                  // the longest
  double labels = 0, squares = 0;  // sums
};

RecordSizes sizes_here(const Problem& problem) {
  RecordSizes sizes;
  RowRoom room;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    const double y = problem.data->labels[i];
    sizes.row = std::fmax(sizes.row, row_norm(problem.data->features.row(i, room), problem.intercept));
    sizes.labels += y;
    sizes.squares += y * y;
  }
  return sizes;
}

// On a shard.
class SizesPass final : public ShardPass {
 public:
  explicit SizesPass(const Problem& problem) : problem_(&problem) {}
  void answer(MessageReader&, MessageWriter& answer) override {
    const RecordSizes sizes = sizes_here(*problem_);
    answer.put(sizes.row).put(sizes.labels).put(sizes.squares);
  }

 private:
  const Problem* problem_;
};

RecordSizes sizes_of(const Problem& problem) {
  if (!problem.data->shards) return sizes_here(problem);
  RecordSizes all;
  RemotePass(problem.data->shards, "record sizes", {}).each({}, [&](std::size_t, MessageReader& answer) {
    if (answer.done()) return;
    all.row = std::fmax(all.row, answer.get<double>());
    all.labels += answer.get<double>();
    all.squares += answer.get<double>();
  });
  return all;
}

// The limit on curvature, in units of the rows, that changes nothing that matters. A kink gets a corner of at
// most 1e-4 of the labels' spread, or of a margin: much narrower than any difference in score that matters. A
// link of bounded slope keeps its own curvature; that it is bounded lets the solver begin with wider corners.
double harmless_curvature(const Problem& problem) {
  constexpr double none = std::numeric_limits<double>::infinity(), corners_in_spread = 1e4;
  const auto* link = std::get_if<Link>(&problem.loss);
  if (link == nullptr || std::isinf(facts(*link).slope)) return none;
  const RecordSizes sizes = sizes_of(problem);
  const auto n = static_cast<double>(problem.data->size());
  const double variance = sizes.squares / n - sizes.labels * sizes.labels / (n * n);
  const double spread = !facts(*link).classification && variance > 0 ? std::sqrt(variance) : 1;
  const double curvature = std::fmin(facts(*link).curvature, corners_in_spread / spread);
  return std::clamp(curvature * sizes.row * sizes.row, 1e-200, 1e200);
}

// Far outside of a Huber loss's width there is no curvature to follow. Nothing is promised, so the data may
// say so.
void require_converged(LimitedObjective& objective, const Vector& point) {
  constexpr double useless = 1e-3;  // of the gradient at the start
  Vector start, end;
  objective.gradient(Vector::Zero(point.size()), start, nullptr);
  objective.gradient(point, end, nullptr);
  if (!(end.norm() <= useless * start.norm()))
    throw_error<InfeasibleError>(
        "the fit does not converge: its gradient is still {:.2g} of the first; bring columns and target to "
        "similar "
        "sizes, or choose a wider loss-parameter",
        end.norm() / start.norm());
}

}  // namespace

PassKind record_sizes_pass() {
  return {"record sizes", [](const ShardRecords& records, MessageReader&) {
            return std::unique_ptr<ShardPass>(std::make_unique<SizesPass>(*records.problem));
          }};
}

Release fit(const Problem& problem, const Options& options, Meter& meter) {
  tacit::validate(problem);
  const Shape shape = shape_of(problem);
  const auto p = static_cast<Eigen::Index>(shape.parameters());
  constexpr double none = std::numeric_limits<double>::infinity();
  LimitedObjective objective(problem, {.slope = none, .curvature = harmless_curvature(problem)},
                             {.strength = options.regularisation * static_cast<double>(shape.records),
                              .center = Vector::Zero(p),
                              .intercept_free = true},
                             Vector::Zero(p), none, options.threads);
  const Certified solution = minimise(objective, {.relative_tolerance = options.tolerance});
  require_converged(objective, solution.point);
  const Sensitive<Vector> minimiser(solution.point, {.value = none, .reason = "released as it is"},
                                    meter.budget().neighbours);
  Released<Vector> w = noise::open(minimiser, meter);

  return {std::move(w), certify("plain", meter, Options::table().certified(options), shape_facts(shape))};
}

}  // namespace tacit::inline v1::plain

namespace tacit::inline v1 {

Method plain_method() {
  return with_options(
      {.name = "plain",
       .notions = {Notion::none},
       .unit = Unit::item,
       .paper = "",
       .summary = "regularised empirical risk minimisation without privacy (epsilon = inf)",
       .assumes = "nothing is promised",
       .weighs = true,
       .sharded = true,
       .unsuitable = needs_linear_model,
       .fit = [](const Problem& problem, const Facts& options,
                 Meter& meter) { return plain::fit(problem, plain::Options::from(options), meter); },
       .rebuild_steps = [](const Facts&, const Facts&) { return std::vector<Step>{}; },
       .rebuild_options =
           [](const Facts& options, const Facts&) {
             return plain::Options::table().certified(plain::Options::from(options));
           }},
      plain::Options::table());
}

}  // namespace tacit::inline v1
