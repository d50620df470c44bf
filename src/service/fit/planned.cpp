#include "service/fit/planned.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithm/heavy_tails/private_limits.hpp"
#include "algorithm/user_level/contribution.hpp"
#include "model/block_axis.hpp"
#include "model/noise_law.hpp"
#include "model/stated_facts.hpp"
#include "model/two_parts.hpp"
#include "service/fit/columns.hpp"
#include "tacit/account.hpp"
#include "tacit/core.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/root_meter.hpp"

namespace tacit::inline v1::service {

namespace {

// Of users no more is public than how many they are, and the cap.
Facts public_facts(const Method& method, const Facts& given, Shape shape, std::size_t units) {
  shape.records = units;
  if (method.unit != Unit::user) return shape_facts(shape);
  const std::int64_t cap =
      given.has("records_per_user") ? given.integer("records_per_user") : user_level::usual_cap;
  shape.records = units * static_cast<std::size_t>(cap);
  return user_level::public_facts(shape, units, cap);
}

// The options and facts as a certificate would state them before the method's plan has filled in the rest.
struct Stated {
  Facts options, assumed_public;
};
Stated stated(const Method& method, const Facts& given, const Shape& shape, std::size_t units,
              Neighbours neighbours) {
  const auto has = [](const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  Stated made{.options = {}, .assumed_public = public_facts(method, given, shape, units)};
  for (const auto& [key, value] : given.entries()) {
    Facts& facts = has(method.public_facts, key) ? made.assumed_public : made.options;
    if (key != "threads") std::visit([&, &name = key](const auto& v) { facts.set(name, v); }, value);
  }
  if (has(method.facts, "neighbours")) made.options.set("neighbours", std::string(name(neighbours)));
  if (!shape.blocks.empty()) {
    if (has(method.facts, "feature_blocks")) made.options.set("feature_blocks", shape.blocks.text());
    made.assumed_public.set("feature_blocks", shape.blocks.text());  // for the rules that go by them
  }
  return made;
}

// Does what may need something that the fit chooses from the records, privately: what it lacks, or nothing.
std::string known_beforehand(const auto& rebuild) {
  try {
    rebuild();
  } catch (const InfeasibleError&) {
    throw;
  } catch (const Error& error) {
    return fmt::format("they follow from what the fit finds ({})", error.what());
  }
  return "";
}

// Too few records to choose sizes privately are refused by the fit, from public values: so they are here.
void require_enough_for_sizes(const Method& method, const Facts& given, const Shape& shape,
                              Neighbours neighbours) {
  if (find_option(method, "limit-share") == nullptr) return;
  heavy_tails::Options options = heavy_tails::Options::from(given);
  options.neighbours = neighbours;
  if (!shape.blocks.empty() && !options.row_norm_bound) options.row_norm_bound = shape.blocks.l2_bound();
  if (heavy_tails::needs_private_limits(shape, options))
    static_cast<void>(heavy_tails::plan_private_limits(shape, options));
}

// ---- The method on records that say nothing.

struct FirstStepReached {};
constexpr std::size_t most_rehearsed = 10'000'000;  // rows: more than memory is sure to hold are not made up

// A record for each unit, or one where the method can be told how many there are.
Dataset blank_records(Dataset data, std::size_t rows, Unit unit, const LossSpec& loss,
                      const FitOptions& options) {
  SparseRows blank{.rows = rows, .columns = data.features.columns()};
  blank.start.assign(rows + 1, 0);
  data.features = Features(std::move(blank));
  data.labels = prepare_target(data, std::vector<double>(rows, 0), loss, options).labels;
  if (unit == Unit::user) {
    data.users.resize(rows);
    std::iota(data.users.begin(), data.users.end(), 0U);
    data.user_count = rows;
  }
  return data;
}

void rehearse(const Method& method, Facts facts, const Problem& shaped, std::size_t units,
              const FitOptions& options) {
  const Budget budget = requested_budget(options, method);
  const char* const count = count_option(budget.unit);
  const bool told = budget.neighbours != Neighbours::replace_one && find_option(method, count) != nullptr;
  if (!told && units > most_rehearsed) return;
  if (told) facts.set(count, static_cast<std::int64_t>(units));
  const Dataset data = blank_records(*shaped.data, told ? 1 : units, budget.unit, shaped.loss, options);
  Problem problem = shaped;
  problem.data = &data;
  const auto bits = noise::system_bits();
  RootMeter meter(budget, *bits);
  meter.before_each_step([](const Step&) { throw FirstStepReached{}; });
  const ListenScope silent(nullptr);
  try {
    static_cast<void>(method.fit(problem, facts, meter));
  } catch (const FirstStepReached&) {
  } catch (const DataError&) {  // of records that nobody has
  }
}

// A score that is moved by 1 has odds that are 2.7 times as large [heuristic: advice only].
constexpr double much_for_a_score = 1;
constexpr std::size_t most_named = 4;

// Whether the model's output is a score, or the logarithm of a rate.
bool has_scores(const LossSpec& loss) {
  const auto* link = std::get_if<Link>(&loss);
  return classifies(loss) || (link != nullptr && link->kind == LinkKind::poisson);
}

}  // namespace

ExpectedFit expected_fit(const FitPlan& request, const SharedFit& shared, const Schema& schema,
                         std::size_t units) {
  const FitOptions& options = shared.options;
  const KnotFacts known = knot_facts(request, units);  // of users it takes nothing
  ExpectedFit fit{.records = with_bearable_columns(no_records(with_knots(schema, options.encoder, known)),
                                                   request, known)};
  const Dataset& data = fit.records.data;
  fit.loss = choose_loss(options, data.target_kind, data.classes.size());
  const Problem problem{.data = &data,
                        .loss = fit.loss,
                        .intercept = options.intercept,
                        .domain = WholeSpace{},
                        .blocks = blocks_of(request, fit.records.blocks, data.features.columns())};
  fit.shape = shape_of(problem);
  fit.shape.records = units;
  fit.shape.shards = options.shards.cluster ? options.shards.cluster->size() : options.shards.count;
  fit.target = prepare_target(data, data.labels, fit.loss, options);
  fit.facts = facts_for_method(options, agreed_row_bound(request, fit.records), fit.target);
  fit.choice = choose_method(options, request.candidates, fit.shape, fit.facts);
  if (const std::string why = why_no_columns(fit.records); !why.empty()) fit.choice.reason = why;
  const Method& method = *fit.choice.method;
  require_suitable(method, fit.shape);
  require_intervals(shared, method, fit.shape, fit.facts);
  if (!options.shards.used()) rehearse(method, fit.facts, problem, units, options);
  return fit;
}

PlannedMethod planned_method(const Method& method, const Facts& given, const Shape& shape, std::size_t units,
                             const Budget& budget) {
  require_enough_for_sizes(method, given, shape, budget.neighbours);
  const Stated facts = stated(method, given, shape, units, budget.neighbours);
  PlannedMethod plan{.certificate = {.method = method.name,
                                     .guarantee = budget.limit,
                                     .unit = budget.unit,
                                     .neighbours = budget.neighbours,
                                     .options = facts.options,
                                     .assumed_public = facts.assumed_public},
                     .no_steps = {}};
  if (method.rebuild_options == nullptr || method.rebuild_steps == nullptr) {
    plan.no_steps = "the method has no plan to show";
    return plan;
  }
  Certificate& certificate = plan.certificate;
  known_beforehand(
      [&] { certificate.options = method.rebuild_options(facts.options, facts.assumed_public); });
  plan.no_steps = known_beforehand([&] {
    certificate.steps = method.rebuild_steps(certificate.options, facts.assumed_public);
    certificate.guarantee = compose(events_of(certificate.steps), budget.limit);
  });
  if (!std::holds_alternative<NoPrivacy>(budget.limit))
    known_beforehand([&] { certificate.assumptions = assumptions_of(method, certificate); });
  return plan;
}

std::string noisy_categories(const Certificate& planned, const Shape& shape, const Schema& schema) {
  if (!has_scores(shape.loss)) return "";
  const std::vector<double> noise = absent_noise(planned, shape.features).of_features;
  if (noise.empty()) return "";
  // The length of a class' score in the parameters of a feature.
  const double classes = static_cast<double>(shape.outputs) + 1;
  const double length = std::holds_alternative<Softmax>(shape.loss) ? std::sqrt(1 - 1 / classes) : 1;
  struct Noisy {
    double size;
    std::string column;
  };
  std::vector<Noisy> noisy;
  std::size_t first = 0;
  for (const BlockAxis& block : block_axes(schema)) {
    const auto column = std::ranges::find(schema.columns, block.axis.column, &SchemaColumn::name);
    const bool listed =
        column != schema.columns.end() && std::holds_alternative<CategoricalColumn>(column->kind);
    const double size = first < noise.size() ? length * noise[first] : 0;
    if (listed && size > much_for_a_score) noisy.push_back({size, block.axis.column});
    first += block.features;
  }
  if (noisy.empty()) return "";
  std::ranges::stable_sort(noisy, std::greater{}, &Noisy::size);
  std::vector<std::string> words;
  for (std::size_t k = 0; k < std::min(noisy.size(), most_named); ++k)
    words.push_back(fmt::format("{} {:.2g}", noisy[k].column, noisy[k].size));
  if (const std::size_t named = words.size(); noisy.size() > named)
    words.push_back(fmt::format("and {} more", noisy.size() - named));
  return fmt::format(
      "a category that no record has would add noise to a score, in root mean square {}; leave categories "
      "that nobody has out of the schema's lists, or give a smaller radius",
      fmt::join(words, ", "));
}

}  // namespace tacit::inline v1::service
