#include "method_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacit/algorithm/heavy_tails/limited_objective.hpp"
#include "tacit/algorithm/posterior/asap.hpp"

namespace tacit::inline v1 {

namespace {

// What certificates of a method state beside the options that can be asked for: worked out by its plan, or
// released; and what it takes to be public. Names between blanks.
struct Row {
  std::string_view method, planned, assumed_public;
};

constexpr std::string_view bounds = " row_norm_bound label_bound ";

constexpr std::array rows = {
    Row{"limited-objective",
        " projection_radius distance feature_blocks limits feature_exponents label_offset label_scale ",
        bounds},
    Row{"limited-output", " projection_radius limits feature_exponents label_offset label_scale ", bounds},
    Row{"double-output", " local_radius limits feature_exponents label_offset label_scale ", bounds},
    Row{"localized", " phases blocks limits feature_exponents label_offset label_scale ", bounds},
    Row{"net-exponential", " net_spacing limits feature_exponents label_offset label_scale ", bounds},
    Row{"localized-exponential",
        " localisation_radius cell_side limits feature_exponents label_offset label_scale ", bounds},
    Row{"posterior-exact", " inverse_temperature strength ball predicted_acceptance ", bounds},
    Row{"asap-mala", " inverse_temperature strength ball center_radius distance step_size chain_steps ",
        bounds},
    Row{"tuned", " chosen noisy_score ", " row_norm_bound label_bound records_held_out "},
    Row{"dp-sgd", " noise_multiplier chosen_clip_norm ", ""},
    Row{"dp-gd", " noise ", ""},
    Row{"o2nc-single", " estimate ", ""},
    Row{"o2nc-first", " estimate bound ", ""},
    Row{"o2nc-sampled", " noise_multiplier ", ""},
    Row{"user-sgd", " noise_multiplier ", ""},
    Row{"user-group", " noise_multiplier ", ""},
    Row{"user-phased",
        " weighting phases_passed tau_1 tau_2 tau_3 tau_4 tau_5 tau_6 tau_7 tau_8 tau_9 tau_10 tau_11 tau_12 "
        "tau_13 tau_14 tau_15 tau_16 tau_17 tau_18 tau_19 tau_20 ",
        ""},
    Row{"user-erm",
        " weighting phases_passed tau_1 tau_2 tau_3 tau_4 tau_5 tau_6 tau_7 tau_8 tau_9 tau_10 tau_11 tau_12 "
        "tau_13 tau_14 tau_15 tau_16 tau_17 tau_18 tau_19 tau_20 ",
        ""},
};

bool is_named(std::string_view list, std::string_view fact) {
  return list.find(fmt::format(" {} ", fact)) != std::string_view::npos;
}

std::string fact_of(const OptionSpec& spec) {
  std::string fact = spec.name;
  std::ranges::replace(fact, '-', '_');
  return fact;
}

}  // namespace

bool is_option_of(const Method& method, std::string_view fact) {
  if (fact == "neighbours" && method.neighbours.size() > 1) return true;
  const auto row = std::ranges::find(rows, method.name, &Row::method);
  return std::ranges::any_of(method.options, [&](const OptionSpec& spec) { return fact_of(spec) == fact; }) ||
         (row != rows.end() && is_named(row->planned, fact));
}

bool is_public_of(const Method& method, std::string_view fact) {
  const auto row = std::ranges::find(rows, method.name, &Row::method);
  return row != rows.end() && is_named(row->assumed_public, fact);
}

std::vector<std::string> assumptions_of(const Method& method, const Facts& options,
                                        const Facts& assumed_public) {
  if (method.name == "asap-mala") {
    Facts all = options;
    for (const auto& [key, value] : assumed_public.entries())
      if (is_named(bounds, key)) all.set(key, value);
    const auto asked = posterior::AsapOptions::from(all);
    return posterior::asap_assumptions(posterior::plan_asap(heavy_tails::shape_from(assumed_public), asked),
                                       asked);
  }
  if (method.name == "limited-objective" && options.has("neighbours"))
    return heavy_tails::objective_assumptions(parse_neighbours(options.text("neighbours")),
                                              assumed_public.integer("records"));
  if (method.assumes.empty() || method.assumes == "nothing") return {};
  return {method.assumes};
}

}  // namespace tacit::inline v1
