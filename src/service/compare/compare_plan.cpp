#include "service/compare/compare_plan.hpp"

#include <algorithm>
#include <cmath>

#include "service/fit/target.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

namespace {

// The relation to run it for: the common one itself where the method offers it.
Neighbours relation_of(const Method& method, Neighbours common) {
  return protects(method, common) ? common : method.neighbours.front();
}

// The notions in which the method can be compared: pure, and with a δ the sharper of (ε, δ) itself and of
// Gaussian privacy that implies it.
std::vector<std::string> notions_of(const Method& method, bool with_delta) {
  std::vector<std::string> notions;
  if (offers(method, Notion::pure)) notions.emplace_back("pure");
  if (with_delta && offers(method, Notion::approx))
    notions.emplace_back("approx");
  else if (with_delta && offers(method, Notion::gaussian))
    notions.emplace_back("gaussian");
  return notions;
}

// Why no fit of the method can be compared; empty: one can.
std::string obstacle(const Method& method, Unit unit, bool any_notion) {
  const bool for_users = method.unit == Unit::user;
  if (for_users && unit != Unit::user) return "it protects users, and needs to know whose a record is";
  if (!for_users && unit == Unit::user) return "it protects single records, not users";
  if (!any_notion) return "it needs a delta";
  return "";
}

CompareLine line_of(const Method& method, const std::string& notion, const CompareOptions& options) {
  const Neighbours common = options.fit.neighbours.value_or(usual_neighbours);
  const Neighbours relation = relation_of(method, common);
  CompareLine line{.method = &method, .result = {method.name, notion, method.assumes, relation, {}}};
  for (const double epsilon : options.epsilons)
    line.result.cells.push_back(
        {.epsilon = epsilon,
         .guarantee = guarantee_to_compare(notion, relation, epsilon, options.delta, common)});
  return line;
}

std::vector<CompareJob> list_jobs(const std::vector<CompareLine>& lines, int repeats) {
  std::size_t most_cells = 1;
  for (const CompareLine& line : lines) most_cells = std::max(most_cells, line.result.cells.size());
  std::vector<CompareJob> jobs;
  for (std::size_t repeat = 0; repeat < static_cast<std::size_t>(repeats); ++repeat)
    for (std::size_t cell = 0; cell < most_cells; ++cell)
      for (std::size_t line = 0; line < lines.size(); ++line)
        if (cell < lines[line].result.cells.size()) jobs.push_back({line, cell, repeat});
  return jobs;
}

}  // namespace

void check(const CompareOptions& options) {
  if (options.epsilons.empty()) throw_error<UsageError>("no epsilon is given to compare at");
  constexpr double least_epsilon = 1e-9, largest_epsilon = 1e9;  // what the methods take
  for (std::size_t k = 0; k < options.epsilons.size(); ++k) {
    const double epsilon = options.epsilons[k];
    if (!(epsilon >= least_epsilon && epsilon <= largest_epsilon))
      throw_error<UsageError>("epsilon is {}, expected between {} and {}", epsilon, least_epsilon,
                              largest_epsilon);
    if (std::find(options.epsilons.begin(), options.epsilons.begin() + static_cast<std::ptrdiff_t>(k),
                  epsilon) != options.epsilons.begin() + static_cast<std::ptrdiff_t>(k))
      throw_error<UsageError>("epsilon {} is given twice", epsilon);
  }
  if (options.delta) validate(Guarantee(Approx{1, *options.delta}));
  if (options.fit.neighbours == Neighbours::add_remove)
    throw_error<UsageError>(
        "compare measures on held-out records, whose number is public: zero_out or replace_one");
  for (const std::string& name : options.methods) find_method(name);
  constexpr int most_repeats = 1000;
  if (options.repeats < 1 || options.repeats > most_repeats)
    throw_error<UsageError>("repeats is {}, expected 1 to {}", options.repeats, most_repeats);
  if (!(options.held_out > 0 && options.held_out < 1))
    throw_error<UsageError>("the held-out share is {}, expected > 0 and < 1", options.held_out);
  if (!(options.minutes > 0 && std::isfinite(options.minutes)))
    throw_error<UsageError>("minutes is {}, expected a finite number > 0", options.minutes);
  constexpr unsigned most_workers = 256;
  if (options.workers > most_workers)
    throw_error<UsageError>("threads is {}, expected at most {}", options.workers, most_workers);
  check_loss_name(options.fit);
}

ComparePlan plan_comparison(const CompareOptions& options, Unit unit) {
  ComparePlan plan;
  plan.lines.push_back({.method = nullptr, .result = {"", "none", "nothing", Neighbours::replace_one, {{}}}});
  const auto& asked = options.methods;
  for (const Method& method : methods()) {
    if (!asked.empty() && std::ranges::find(asked, method.name) == asked.end()) continue;
    const std::vector<std::string> notions = notions_of(method, options.delta.has_value());
    if (notions.empty() && offers(method, Notion::none)) {
      if (!asked.empty()) plan.others.push_back({method.name, "", "it is the line without privacy"});
      continue;
    }
    if (const std::string why = obstacle(method, unit, !notions.empty()); !why.empty())
      plan.others.push_back({method.name, "", why});
    else
      for (const std::string& notion : notions) plan.lines.push_back(line_of(method, notion, options));
  }
  plan.jobs = list_jobs(plan.lines, options.repeats);
  return plan;
}

}  // namespace tacit::inline v1::service
