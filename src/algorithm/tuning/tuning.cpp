#include "algorithm/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/heavy_tails/private_limits.hpp"
#include "algorithm/partition.hpp"
#include "algorithm/rows.hpp"
#include "algorithm/secret_parts.hpp"
#include "loss/softmax.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::tuning {

namespace {

// The best of K runs of an ε₀-DP pair is 2ε₀-DP when K is logarithmic [docs/tuned.md].
constexpr double cost_of_choosing = 2;

// In [0, 1], larger is better: whether the class is right, or how small the error is beside the label bound.
double record_score(const Problem& problem, std::size_t i, const Vector& w, double label_bound) {
  const Shape shape = shape_of(problem);
  const double y = problem.data->labels[i];
  std::vector<double> z(shape.outputs);
  scores(problem, i, w, z);
  if (const auto* link = std::get_if<Link>(&problem.loss)) {
    if (facts(*link).classification) return (z[0] >= 0) == (y > 0) ? 1 : 0;
    const double prediction = link->kind == LinkKind::poisson ? std::exp(std::min(z[0], 700.0)) : z[0];
    const double error = std::fabs(prediction - y) / (2 * label_bound);
    return error < 1 ? 1 - error : 0;
  }
  const SoftmaxLoss softmax(std::get<Softmax>(problem.loss).classes);
  std::vector<double> p(softmax.classes());
  softmax.probabilities(z, p);
  return std::ranges::max_element(p) - p.begin() == static_cast<std::ptrdiff_t>(y) ? 1 : 0;
}

// What a null record counts as. Scores are added up as they differ from it: where a record may be null by at
// most half, not by all of the way from 0 to 1.
double null_score(Neighbours neighbours) { return neighbours == Neighbours::replace_one ? 0 : 0.5; }

// A record's score is a function of that record and the released w, in [0,1]; the float sum of m of them is
// within γ_m·m of the real one. Replaced, one moves it by at most 1; from or to a null one, by at most ½.
Sensitivity score_sensitivity(std::size_t m, Neighbours neighbours) {
  const bool replaced = neighbours == Neighbours::replace_one;
  return {.value = div_up(replaced ? 1 : 0.5, static_cast<double>(m)),
          .slack = mul_up(4, gamma_bound(m + 2)),
          .norm = Norm::l1,
          .reason = replaced ? "mean of record scores in [0,1]; slack: rounding of the mean, twice"
                             : "mean of record scores in [0,1], a null one's 1/2; slack: rounding of the "
                               "mean, twice"};
}
constexpr double score_range = 1;

double sum_here(const Problem& validation, const Vector& w, double label_bound, double null) {
  double sum = 0;
  for (std::size_t i = 0; i < validation.data->size(); ++i)
    sum += record_score(validation, i, w, label_bound) - null;
  return sum;
}

// On a shard.
class ScoresPass final : public ShardPass {
 public:
  ScoresPass(const Problem& problem, double label_bound, double null)
      : problem_(&problem), label_bound_(label_bound), null_(null) {}
  void answer(MessageReader& question, MessageWriter& answer) override {
    answer.put(Vector(Vector::Constant(1, sum_here(*problem_, question.vector(), label_bound_, null_))));
  }

 private:
  const Problem* problem_;
  double label_bound_, null_;
};

// Of m places. However the terms are shared out, no order of additions takes one through more than all m.
Sensitive<double> score(const Problem& validation, std::size_t m, const Vector& w, double label_bound,
                        Neighbours neighbours) {
  const double null = null_score(neighbours);
  Vector sum(1);
  if (validation.data->shards)
    RemotePass(validation.data->shards, "scores", MessageWriter().put(label_bound).put(null))
        .sum(MessageWriter().put(w), 1, sum);
  else
    sum[0] = sum_here(validation, w, label_bound, null);
  return {null + sum[0] / static_cast<double>(m), score_sensitivity(m, neighbours), neighbours};
}

void require_sharded(const Options& options) {
  for (const Setting& setting : options.settings)
    if (!find_method(setting.method).sharded)
      throw_error<UsageError>("the method {} needs all records in one place; fit them without shards",
                              setting.method);
}

// A method that divides by the rows that it sees is proved for none but those.
void require_places(const Options& options) {
  if (!options.records) return;
  for (const Setting& setting : options.settings)
    if (find_option(find_method(setting.method), "records") == nullptr)
      throw_error<UsageError>(
          "records is stated, but the method {} counts the records that it sees; leave out one of the two",
          setting.method);
}

struct Run {
  std::size_t setting;
  Release release;
  double score;
};

Facts run_options(const Options& options, std::size_t setting, double run_epsilon) {
  Facts all = options.common;
  for (const auto& [key, value] : options.settings[setting].options.entries()) all.set(key, value);
  all.set("epsilon", run_epsilon);
  all.set("neighbours", std::string(name(options.neighbours)));
  return all;
}

// With the places that there are for fitting, some of which may be null.
Facts with_places(Facts run, const Method& method, std::size_t places) {
  if (find_option(method, "records") != nullptr) run.set("records", static_cast<std::int64_t>(places));
  return run;
}

std::vector<Step> steps_of(const Options& options, std::size_t setting, double run_epsilon,
                           const Facts& assumed_public) {
  const Method& method = find_method(options.settings[setting].method);
  try {
    return method.rebuild_steps(run_options(options, setting, run_epsilon), assumed_public);
  } catch (const UsageError& error) {
    throw_error<UsageError>("setting {}, {}: {}", setting + 1, method.name, error.what());
  }
}

// Shares that pay for nothing, in settings of methods that have them.
void require_effect(const Options& options, const Shape& shape, double run_epsilon) {
  for (std::size_t k = 0; k < options.settings.size(); ++k) {
    const Facts& given = options.settings[k].options;
    if (!given.has("limit_share") && !given.has("column_share")) continue;
    try {
      heavy_tails::require_effect(shape, heavy_tails::Options::from(run_options(options, k, run_epsilon)));
    } catch (const UsageError& error) {
      throw_error<UsageError>("setting {}, {}: {}", k + 1, options.settings[k].method, error.what());
    }
  }
}

// A choice among the points of a net releases one of them, whose spacing is an option; all are powers of two.
double grid_of(const Options& options, std::size_t setting, double run_epsilon, const Facts& assumed_public,
               const Step& last) {
  if (last.mechanism != "exponential") return last.grid;
  const Method& method = find_method(options.settings[setting].method);
  return method.rebuild_options(run_options(options, setting, run_epsilon), assumed_public)
      .number("net_spacing");
}

// What a certificate states: the choice and its score were released.
Facts certified_options(const Options& options, std::size_t chosen, double noisy_score) {
  Facts more;
  more.set("chosen", static_cast<std::int64_t>(chosen));
  more.set("noisy_score", noisy_score);
  return Options::table().certified(options, more);
}

Step costing(double epsilon, std::string mechanism, const Nesting& nesting, std::vector<Step> inner) {
  Step step;
  step.mechanism = std::move(mechanism);
  step.event = PureEvent{epsilon};
  step.nesting = nesting;
  step.inner = std::move(inner);
  return step;
}

// Every number of a run, from public values alone.
struct Plan {
  std::vector<Step> settings;  // the steps of each within it
  Step fit;                    // one of them
  Step score;
  Step candidate;  // both, on parts of their own
  Step release;    // the best of a hidden number of candidates
};

// The one step of the whole: its grid divides those of all settings, whichever is chosen.
Plan plan(const Options& options, double run_epsilon, const Facts& assumed_public) {
  Plan plan;
  Step& step = plan.release;
  for (std::size_t k = 0; k < options.settings.size(); ++k) {
    std::vector<Step> steps = steps_of(options, k, run_epsilon, assumed_public);
    const double grid = grid_of(options, k, run_epsilon, assumed_public, steps.back());
    step.grid = k == 0 ? grid : std::min(step.grid, grid);
    plan.settings.push_back(costing(run_epsilon, options.settings[k].method, Composed{}, std::move(steps)));
  }
  plan.fit = costing(run_epsilon, "fit-one-setting", OneOf{}, plan.settings);
  const Sensitivity score = score_sensitivity(
      static_cast<std::size_t>(assumed_public.integer("records_held_out")), options.neighbours);
  plan.score = noise::plan_laplace(score, noise::scale_for(score, Pure{run_epsilon}), score_range);
  plan.candidate = costing(run_epsilon, "candidate", Parallel{}, {plan.fit, plan.score});

  step.mechanism = "private-tuning";
  step.dimension = shape_from(assumed_public).parameters();
  step.event = PureEvent{options.epsilon};
  step.sensitivity.reason =
      "each run is half of epsilon; the best of a logarithmic number of runs costs twice a run";
  step.scale = stopping_parameter(options.mean_runs);
  step.nesting = RepeatAndSelect{};
  step.inner = {plan.candidate};
  return plan;
}

}  // namespace

PassKind scores_pass() {
  return {"scores", [](const ShardRecords& records, MessageReader& settings) {
            const auto label_bound = settings.get<double>();
            return std::unique_ptr<ShardPass>(
                std::make_unique<ScoresPass>(*records.problem, label_bound, settings.get<double>()));
          }};
}

Release fit(const Problem& problem, const Options& options, Meter& meter) {
  options.validate();
  tacit::validate(problem);
  if (problem.data->shards) require_sharded(options);
  require_places(options);
  if (options.records && problem.data->features.columns() == 0)
    throw_error<UsageError>(
        "records is stated, but without columns, null records cannot be recognised; leave it out, or give "
        "the data a column");
  const std::size_t n = public_shape(problem, options.neighbours, options.records).records;
  const auto held_out = static_cast<std::size_t>(options.validation * static_cast<double>(n));
  if (held_out == 0 || held_out == n)
    throw_error<UsageError>("{} record{} too few to hold out a share of {}", n, n == 1 ? " is" : "s are",
                            options.validation);
  const auto* link = std::get_if<Link>(&problem.loss);
  const bool regression = link && !facts(*link).classification;
  if (regression && !options.common.has("label_bound"))
    throw_error<UsageError>("tuning a regression needs the target's public bounds, for its score");
  const double label_bound = regression ? options.common.number("label_bound") : 1;

  // Every setting is planned first: what cannot run is refused before anything is charged.
  const double run_epsilon = options.epsilon / cost_of_choosing;
  Shape fit_shape = shape_of(problem);
  fit_shape.records = n - held_out;
  Facts assumed =
      heavy_tails::public_facts(fit_shape, heavy_tails::Options::from(run_options(options, 0, run_epsilon)));
  assumed.set("records_held_out", static_cast<std::int64_t>(held_out));
  const Plan steps = plan(options, run_epsilon, assumed);
  require_effect(options, fit_shape, run_epsilon);
  Meter candidates = meter.child(steps.release);

  // A secret random split, the same for all runs: the assignment of records does not depend on their values,
  // so that fitting and scoring, on disjoint parts, cost the larger of the two and not their sum.
  const SecretParts parts(*problem.data, {held_out, n - held_out}, meter.bits(), n);
  // Where all places for fitting are null, one of them is a row, as methods refuse data without any.
  const Dataset scoring = parts.part(0), fitting = with_null_rows(parts.part(1), 1);
  Problem fit_problem = problem, score_problem = problem;
  fit_problem.data = &fitting;
  fit_problem.blocks = {};  // settings are planned, here and by verify, with isotropic noise
  score_problem.data = &scoring;

  const ListenScope unheard(nullptr);  // how many runs there are stays hidden
  std::optional<Run> best;
  for (std::size_t left = draw_runs(stopping_parameter(options.mean_runs), meter.bits()); left > 0; --left) {
    const std::size_t setting = draw_below(options.settings.size(), meter.bits());
    Meter candidate = candidates.child(steps.candidate);
    Meter fit_meter = candidate.child(steps.fit).child(steps.settings[setting]);
    const Method& method = find_method(options.settings[setting].method);
    Release release =
        method.fit(fit_problem, with_places(run_options(options, setting, run_epsilon), method, n - held_out),
                   fit_meter);
    const Sensitive<double> exact =
        score(score_problem, held_out, release.parameters.value(), label_bound, options.neighbours);
    const double noisy = noise::laplace(exact, steps.score.scale, score_range, candidate).value();
    if (!best || noisy > best->score) best.emplace(Run{setting, std::move(release), noisy});
  }

  return {
      std::move(best->release.parameters),
      certify("tuned", meter, certified_options(options, best->setting, best->score), std::move(assumed))};
}

std::vector<Step> rebuild_steps(const Facts& facts, const Facts& assumed_public) {
  Facts all = facts;
  for (const char* key : {"row_norm_bound", "label_bound"})
    if (assumed_public.has(key)) all.set(key, assumed_public.number(key));
  const Options options = Options::from(all);
  try {
    options.validate();
  } catch (const UsageError& error) {
    throw VerificationError(error.what());
  }
  if (const auto chosen = facts.integer("chosen");
      chosen < 0 || static_cast<std::size_t>(chosen) >= options.settings.size())
    throw VerificationError("the chosen setting is not among the settings");
  const auto held_out = static_cast<double>(assumed_public.integer("records_held_out"));
  const double all_records = static_cast<double>(assumed_public.integer("records")) + held_out;
  if (!(held_out >= 1 && held_out == std::floor(options.validation * all_records)))
    throw_error<VerificationError>("{} of {} records were held out, which is not the share {}", held_out,
                                   all_records, options.validation);
  return {plan(options, options.epsilon / cost_of_choosing, assumed_public).release};
}

}  // namespace tacit::inline v1::tuning

namespace tacit::inline v1 {

Method tuned_method() {
  Method method = with_options(
      {.name = "tuned",
       .notions = {Notion::pure},
       .unit = Unit::item,
       .paper = "",
       .summary =
           "private choice among settings of the other pure-DP methods, by a noisy score on held-out records",
       .assumes = "nothing",
       .neighbours = {Neighbours::zero_out, Neighbours::replace_one},
       .sharded = true,
       .secret_runs = true,
       // A score is from 0 to 1 whatever the record; the rest is what the settings' methods prove.
       .covers_null =
           [](const Facts& options) {
             const auto settings = tuning::parse_settings(tuning::asked_settings(options));
             return std::ranges::all_of(settings, [](const tuning::Setting& setting) {
               return covers_null(find_method(setting.method), setting.options);
             });
           },
       .unsuitable = needs_linear_model,
       .fit =
           [](const Problem& problem, const Facts& options, Meter& meter) {
             return tuning::fit(problem, tuning::Options::from(with_relation(options, meter)), meter);
           },
       .rebuild_steps = tuning::rebuild_steps,
       .rebuild_options =
           [](const Facts& options, const Facts&) {
             return as_stated(tuning::certified_options(tuning::Options::from(options),
                                                        static_cast<std::size_t>(options.integer("chosen")),
                                                        options.number("noisy_score")),
                              options);
           }},
      tuning::Options::table());
  method.public_facts = {"row_norm_bound", "label_bound", "records_held_out"};
  return method;
}

}  // namespace tacit::inline v1
