#include "tacit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithm/heavy_tails/limited_objective.hpp"
#include "algorithm/heavy_tails/private_limits.hpp"
#include "algorithm/intervals/intervals.hpp"
#include "algorithm/posterior/exact.hpp"
#include "privacy/accounting/calibrate.hpp"
#include "solver/records_per_block.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

// Whether the method may be chosen for what is asked, as far as that is known without the data.
bool may_be_chosen(const Method& method, const FitOptions& options) {
  const bool promises = !std::holds_alternative<NoPrivacy>(options.guarantee);
  return offers(method, notion_of(options.guarantee)) &&
         (!promises || (method.unit == options.unit && method.assumes == "nothing")) &&
         (!options.neighbours || protects(method, *options.neighbours)) &&
         (!options.weight_bound || method.weighs) &&
         (!options.interval_level || intervals::why_not(method.name).empty()) &&
         std::ranges::all_of(options.method_options.entries(),
                             [&](const auto& entry) { return find_option(method, entry.first) != nullptr; });
}

// As it stands before "privacy".
std::string_view in_words(std::string_view notion) { return notion == "none" ? "no" : notion; }

const Method& named(const FitOptions& options) {
  const Method& method = find_method(options.method);
  const Notion wanted = notion_of(options.guarantee);
  if (!offers(method, wanted))
    throw_error<UsageError>(
        "the method {} gives {} privacy, but {} privacy is asked for{}", method.name,
        offers(method, Notion::none) ? "no" : notions_in_words(method), in_words(name(wanted)),
        wanted == Notion::pure && offers(method, Notion::approx) ? "; give a delta too, such as 1e-6" : "");
  return method;
}

// ---- The rules, one for each notion [docs/choosing.md]. Each returns the name of a method that is among
// `open`, and why, or nothing.

struct Wish {
  const FitOptions& options;
  Shape shape;  // with a number of records that is public, or 0
  const Facts& facts;
  std::vector<const Method*> open;

  const Method* find(std::string_view method) const {
    const auto it = std::ranges::find(open, method, &Method::name);
    return it == open.end() ? nullptr : *it;
  }
};

// The number of records that the choice, and what it says, may go by: the stated one, or that of the data
// where it is public. Under add_remove it is not, and without a stated one every method refuses.
Shape with_public_count(Shape shape, const FitOptions& options, const Facts& facts) {
  if (facts.has("records"))
    shape.records = static_cast<std::size_t>(std::max<std::int64_t>(facts.integer("records"), 0));
  else if (options.neighbours == Neighbours::add_remove)
    shape.records = 0;
  return shape;
}

// Objective perturbation needs λ for its Jacobian's term; a λ of this size is taken to bias little where none
// is given [heuristic: utility only].
constexpr double harmless_regularisation = 0.01;
// Below this predicted acceptance a sample takes too long for a choice that nobody made by hand.
constexpr double least_acceptance = 1e-3;

// Rows that an encoder made: from this n·ε/columns on objective perturbation with shaped noise is at least as
// accurate as descent, below it descent profits more from a delta [heuristic: utility only,
// docs/choosing.md].
constexpr double enough_for_shaped_noise = 800;
// Where descent over all records is the only one on offer, as for replace_one: the same, for each output.
constexpr double enough_without_sampling = 20;

Choice encoded_under_delta(const Wish& wish, const Approx& target, const Method* objective,
                           const Method* descent) {
  if (!objective || !descent) return {};
  if (!classifies(wish.shape.loss) || wish.shape.features == 1)
    return {objective, "objective perturbation is the most accurate for numbers, and for an intercept alone"};
  const double each = records_per_block(wish.shape, target.epsilon);
  const bool sampled = descent->name == "dp-sgd";
  const double need =
      sampled ? enough_for_shaped_noise : enough_without_sampling * static_cast<double>(wish.shape.outputs);
  const bool enough = each >= need;
  return {enough ? objective : descent, fmt::format("{}, as records x epsilon / columns = {:.3g} is {} {}",
                                                    enough ? "objective perturbation" : "gradient descent",
                                                    each, enough ? "large enough, at least" : "below", need)};
}

// nλμ against 12·Q·rank: whether the pull that objective perturbation needs is small beside its noise.
// Nothing where the sizes, or the number of records, are not public.
std::optional<std::pair<double, double>> strength_and_need(const Wish& wish, const Approx& target) {
  heavy_tails::Options options = heavy_tails::Options::from(wish.facts);
  options.neighbours = wish.options.neighbours.value_or(usual_neighbours);
  const Shape& shape = wish.shape;
  if (shape.records == 0) return std::nullopt;
  if (heavy_tails::needs_private_limits(shape, options)) return std::nullopt;
  try {
    const LossLimits limits = heavy_tails::choose_limits(shape, options);
    static_cast<void>(heavy_tails::plan_limited_objective(shape, options));
    const double n = static_cast<double>(shape.records);
    const double lambda = options.regularisation.value_or(harmless_regularisation);
    return std::pair(n * lambda * calibrate_gaussian(target),
                     12 * limits.curvature * static_cast<double>(wish.shape.outputs));
  } catch (const Error&) {
    return std::nullopt;
  }
}

Choice under_epsilon(const Wish& wish) {
  if (const Method* method = wish.find("limited-objective"))
    return {method, "objective perturbation is the most accurate for linear models under pure epsilon"};
  return {};
}

Choice under_delta(const Wish& wish, const Approx& target) {
  const Method *objective = wish.find("limited-objective"), *sgd = wish.find("dp-sgd"),
               *gd = wish.find("dp-gd");
  const Method* descent = sgd ? sgd : gd;
  if (wish.shape.hidden > 0) return {descent, "a network needs gradient descent"};
  if (!objective) return {descent, "gradient descent takes any loss and what else was asked for"};
  const auto sizes = strength_and_need(wish, target);
  if (!sizes) {
    if (descent)
      return {descent, wish.facts.has("row_norm_bound")
                           ? "gradients are clipped, so it needs no public range of the target"
                           : "gradients are clipped, so it needs no public bound on the rows"};
    return {objective, "no other method has what was asked for"};
  }
  if (!wish.shape.blocks.empty())
    if (const Choice choice = encoded_under_delta(wish, target, objective, descent); choice.method)
      return choice;
  const auto [strength, need] = *sizes;
  if (strength < need && !descent) return {objective, "no other method has what was asked for"};
  if (strength >= need)
    return {objective, fmt::format("objective perturbation, as records x lambda x mu = {:.3g} is at least "
                                   "12 x curvature x outputs = {:.3g}",
                                   strength, need)};
  return {descent,
          fmt::format("gradient descent, as records x lambda x mu = {:.3g} is below 12 x curvature x "
                      "outputs = {:.3g}: objective perturbation would have to pull hard towards 0",
                      strength, need)};
}

Choice under_mu(const Wish& wish) {
  const Method *sample = wish.find("posterior-exact"), *gd = wish.find("dp-gd"), *sgd = wish.find("dp-sgd");
  if (wish.shape.hidden > 0 && sgd) return {sgd, "a network needs gradient descent"};
  std::string why = "posterior sampling does not offer this loss, this relation or what else was asked for";
  // Its samples of softmax were not compared with descent.
  if (sample && gd && std::holds_alternative<Softmax>(wish.shape.loss))
    return {gd, "gradient descent, as posterior samples of softmax are drawn by name only"};
  if (sample) try {
      why = "posterior sampling needs public bounds on rows and labels";
      const double acceptance =
          posterior::plan_exact(wish.shape, posterior::Options::from(wish.facts)).acceptance;
      if (acceptance >= least_acceptance)
        return {sample,
                fmt::format("an exact posterior sample is the most accurate under mu; about one in {:.2g} "
                            "proposals is accepted",
                            1 / acceptance)};
      why = fmt::format("only one in {:.2g} proposals of a posterior sampler would be accepted",
                        1 / acceptance);
    } catch (const Error&) {  // no public bounds, or arithmetic too coarse: something else
    }
  return {gd ? gd : sgd, fmt::format("gradient descent, as {}", why)};
}

// The most accurate in nearly all that was measured, and no test that users who disagree could fail
// [docs/user_level.md].
Choice for_users(const Wish& wish) {
  if (const Method* sgd = wish.find("user-sgd"))
    return {
        sgd,
        "clipping each user's mean gradient takes any number of users, and cannot halt when they disagree"};
  if (std::holds_alternative<NoPrivacy>(wish.options.guarantee))
    return {wish.open.front(), "no privacy was asked for"};
  return {wish.open.front(), "user-sgd does not offer this relation or what else was asked for"};
}

Choice by_rule(const Wish& wish) {
  if (wish.options.unit == Unit::user) return for_users(wish);
  if (std::holds_alternative<Pure>(wish.options.guarantee)) return under_epsilon(wish);
  if (const auto* approx = std::get_if<Approx>(&wish.options.guarantee)) return under_delta(wish, *approx);
  if (std::holds_alternative<Gaussian>(wish.options.guarantee)) return under_mu(wish);
  return {};
}

// What else to ask for where no method of the notion fits the loss.
std::string other_notions(const FitOptions& options, const Shape& shape) {
  std::string found;
  for (const auto& [notion, flag] : {std::pair(Notion::approx, "delta"), std::pair(Notion::gaussian, "mu")})
    if (std::ranges::any_of(methods(), [&, &wanted = notion](const Method& m) {
          return offers(m, wanted) && m.unit == options.unit && m.unsuitable(shape).empty();
        }))
      found += fmt::format("{}{}", found.empty() ? "; methods with " : " or ", flag);
  return found.empty() ? found : found + " can";
}

}  // namespace

bool chooses_itself(const FitOptions& options) { return options.method.empty() || options.method == "auto"; }

namespace {

// Of what no method gives to users.
std::string_view remedy_for(const FitOptions& options) {
  if (options.unit != Unit::user) return "";
  if (options.interval_level)
    return "; intervals need a minimiser with noise of a known law, and no method for users ends at one: "
           "make one record of each user's records and fit those, or leave the intervals out";
  return std::holds_alternative<Pure>(options.guarantee) ? "; give a delta too, such as 1e-6" : "";
}

}  // namespace

std::vector<const Method*> candidates(const FitOptions& options) {
  const bool shards = options.shards.used();
  if (!chooses_itself(options)) {
    const Method& method = named(options);
    if (shards && !method.sharded)
      throw_error<UsageError>("the method {} needs all records in one place; fit them without shards",
                              method.name);
    return {&method};
  }
  std::vector<const Method*> found;
  for (const Method& method : methods())
    if (may_be_chosen(method, options) && (method.sharded || !shards)) found.push_back(&method);
  const auto in_one_go = [](const Method* method) { return !method->resumable; };
  if (options.checkpoint && !std::ranges::all_of(found, in_one_go)) std::erase_if(found, in_one_go);
  if (found.empty()) {
    for (const auto& [key, value] : options.method_options.entries())
      if (std::ranges::none_of(methods(), [&, &key = key](const Method& m) {
            return offers(m, notion_of(options.guarantee)) && find_option(m, key) != nullptr;
          }))
        throw_error<UsageError>("{} is not an option of any method that gives {} privacy", key,
                                in_words(notion(options.guarantee)));
    std::string given;
    for (const auto& [key, value] : options.method_options.entries()) given += fmt::format(", {}", key);
    throw_error<UsageError>(
        "no method gives {} privacy for one {}{}{}{}{}{}", in_words(notion(options.guarantee)),
        record_or_user(options.unit), shards ? " to records in shards" : "",
        options.neighbours ? fmt::format(", {} neighbours", name(*options.neighbours)) : "",
        given + (options.interval_level ? ", with intervals" : ""),
        options.weight_bound ? ", and takes weights" : "", remedy_for(options));
  }
  return found;
}

Choice choose_method(const FitOptions& options, std::vector<const Method*> candidates, const Shape& shape,
                     const Facts& facts) {
  Wish wish{options, with_public_count(shape, options, facts), facts, std::move(candidates)};
  if (!chooses_itself(options)) return {wish.open.front(), ""};
  std::string why_not;
  std::erase_if(wish.open, [&](const Method* method) {
    const std::string why = method->unsuitable(shape);
    if (!why.empty()) why_not = fmt::format("{}: {}", method->name, why);
    return !why.empty();
  });
  if (wish.open.empty())
    throw_error<UsageError>(
        "no method that gives {} privacy can fit this ({}){}", in_words(notion(options.guarantee)), why_not,
        std::holds_alternative<Pure>(options.guarantee) ? other_notions(options, shape) : "");
  if (const Choice choice = by_rule(wish); choice.method) return choice;
  return {wish.open.front(), wish.open.size() == 1 ? "no other method has what was asked for"
                                                   : "the first method that has what was asked for"};
}

}  // namespace tacit::inline v1::service
