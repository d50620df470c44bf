#include "algorithm/heavy_tails/options.hpp"
#include "algorithm/rows.hpp"
#include "algorithm/user_level/phases.hpp"
#include "algorithm/user_level/user_erm.hpp"
#include "algorithm/user_level/user_phased.hpp"

namespace tacit::inline v1 {

namespace {

using namespace user_level;

std::size_t users_of(const Facts& assumed_public) {
  return static_cast<std::size_t>(assumed_public.integer("users"));
}

PhasedPlan phased_plan(const Facts& options, const Facts& assumed_public) {
  return plan_user_phased(users_of(assumed_public), shape_from(assumed_public).parameters(),
                          PhasedOptions::from(options));
}

ErmPlan erm_plan(const Facts& options, const Facts& assumed_public) {
  return plan_user_erm(shape_from(assumed_public), users_of(assumed_public), ErmOptions::from(options));
}

Method row(std::string name, std::string summary) {
  return {.name = std::move(name),
          .notions = {Notion::approx},
          .unit = Unit::user,
          .paper = "LowyLiuAsi24",
          .summary = std::move(summary),
          .assumes = "nothing",
          .covers_null = with_any_options,  // a zero gradient is a clipped one
          .unsuitable = needs_linear_model};
}

}  // namespace

Method user_phased_method() {
  Method method = row("user-phased", "one pass of SGD by groups of users in phases, outlying groups removed");
  method.fit = [](const Problem& problem, const Facts& options, Meter& meter) {
    return user_phased(problem, PhasedOptions::from(options), meter);
  };
  method.rebuild_steps = [](const Facts& options, const Facts& assumed_public) {
    return phased_plan(options, assumed_public).steps;
  };
  method.rebuild_options = [](const Facts& options, const Facts& assumed_public) {
    const PhasedPlan plan = phased_plan(options, assumed_public);
    return certified_options(plan, PhasedOptions::from(options), outcome_from(options, plan.phases.size()));
  };
  return with_options(std::move(method), PhasedOptions::table());
}

Method user_erm_method() {
  Method method = row("user-erm", "accelerated descent on users' mean gradients, outlying ones removed");
  method.fit = [](const Problem& problem, const Facts& options, Meter& meter) {
    return user_erm(problem, ErmOptions::from(options), meter);
  };
  method.rebuild_steps = [](const Facts& options, const Facts& assumed_public) {
    return erm_plan(options, assumed_public).steps;
  };
  method.rebuild_options = [](const Facts& options, const Facts& assumed_public) {
    const ErmPlan plan = erm_plan(options, assumed_public);
    return certified_options(shape_from(assumed_public), plan, ErmOptions::from(options),
                             outcome_from(options, plan.phases.size()), options.number("regularisation"));
  };
  return with_options(std::move(method), ErmOptions::table());
}

}  // namespace tacit::inline v1
