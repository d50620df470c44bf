#include "../rows.hpp"
#include "tacit/algorithm/heavy_tails/options.hpp"
#include "tacit/algorithm/user_level/user_erm.hpp"
#include "tacit/algorithm/user_level/user_phased.hpp"

namespace tacit::inline v1 {

namespace {

std::size_t users_of(const Facts& assumed_public) {
  return static_cast<std::size_t>(assumed_public.integer("users"));
}

Method row(std::string name, std::string summary, std::vector<OptionSpec> options) {
  return {.name = std::move(name),
          .notions = {"approx"},
          .unit = "user",
          .paper = "LowyLiuAsi24",
          .summary = std::move(summary),
          .assumes = "nothing",
          .options = std::move(options),
          .unsuitable = needs_linear_model};
}

}  // namespace

Method user_phased_method() {
  Method method = row("user-phased", "one pass of SGD by groups of users in phases, outlying groups removed",
                      user_level::phased_option_specs());
  method.fit = [](const Problem& problem, const Facts& options, Meter& meter) {
    return user_level::user_phased(problem, user_level::PhasedOptions::from(options), meter);
  };
  method.rebuild_steps = [](const Facts& options, const Facts& assumed_public) {
    return user_level::plan_user_phased(users_of(assumed_public),
                                        heavy_tails::shape_from(assumed_public).parameters(),
                                        user_level::PhasedOptions::from(options))
        .steps;
  };
  return method;
}

Method user_erm_method() {
  Method method = row("user-erm", "accelerated descent on users' mean gradients, outlying ones removed",
                      user_level::erm_option_specs());
  method.fit = [](const Problem& problem, const Facts& options, Meter& meter) {
    return user_level::user_erm(problem, user_level::ErmOptions::from(options), meter);
  };
  method.rebuild_steps = [](const Facts& options, const Facts& assumed_public) {
    return user_level::plan_user_erm(heavy_tails::shape_from(assumed_public), users_of(assumed_public),
                                     user_level::ErmOptions::from(options))
        .steps;
  };
  return method;
}

}  // namespace tacit::inline v1
