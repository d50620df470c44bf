#include "known_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tacit::inline v1 {

namespace {

using namespace std::string_view_literals;

// What certificates state beside the options that can be asked for: the budget, and what plans worked out.
constexpr std::array planned = {
    "epsilon"sv, "delta"sv, "mu"sv, "neighbours"sv,
    // limits, and the sizes of private ones
    "slope_limit"sv, "curvature_limit"sv, "regularisation"sv, "radius"sv, "projection_radius"sv, "distance"sv,
    "limits"sv, "limit_share"sv, "column_share"sv, "moment_order"sv, "label_bound"sv, "feature_exponents"sv,
    "label_offset"sv, "label_scale"sv,
    // localisation, extension, nets and cells
    "failure"sv, "solver"sv, "phases"sv, "blocks"sv, "oracle"sv, "gradient_bound"sv, "iteration_limit"sv,
    "local_radius"sv, "net_points"sv, "net_spacing"sv, "smoothing"sv, "smoothing_radius"sv, "cells"sv,
    "localisation_radius"sv, "cell_side"sv,
    // steps of descent
    "clip_norm"sv, "clip_share"sv, "clip_quantile"sv, "chosen_clip_norm"sv, "batch"sv, "epochs"sv, "step"sv,
    "noise_multiplier"sv, "iterate"sv, "seed"sv, "steps"sv, "noise"sv, "estimate"sv, "bound"sv,
    "prefix_sums"sv, "output"sv, "lipschitz"sv, "step_cap"sv, "step_size"sv, "averaging"sv, "period"sv,
    "directions"sv,
    // users
    "records_per_user"sv, "weighting"sv, "groups"sv, "spread"sv, "phases_passed"sv, "core"sv, "test_share"sv,
    "failure_share"sv, "iterations"sv, "sampling"sv, "smoothness"sv, "strong_convexity"sv,
    // samples of a posterior
    "samples"sv, "localisation"sv, "perturbation"sv, "coverage"sv, "mala_steps"sv, "step_limit"sv,
    "inverse_temperature"sv, "strength"sv, "ball"sv, "center_radius"sv, "chain_steps"sv, "least_acceptance"sv,
    "predicted_acceptance"sv,
    // tuning
    "settings"sv, "validation"sv, "mean_runs"sv, "chosen"sv, "noisy_score"sv};

constexpr std::array taken_as_public = {"records"sv,
                                        "features"sv,
                                        "intercept"sv,
                                        "loss"sv,
                                        "loss_parameter"sv,
                                        "hidden"sv,
                                        "classes"sv,
                                        "pieces"sv,
                                        "row_norm_bound"sv,
                                        "label_bound"sv,
                                        "users"sv,
                                        "records_source"sv,
                                        "records_per_user"sv,
                                        "records_held_out"sv,
                                        "columns"sv,
                                        "columns_source"sv,
                                        "classes_source"sv,
                                        "target_range"sv,
                                        "schema_drafted_from_data"sv,
                                        "row_norm_bound_source"sv,
                                        "user_column"sv,
                                        "method_choice"sv,
                                        "ledger_release"sv};

bool is_option(std::string_view key, const Method& method) {
  return std::ranges::any_of(method.options, [&](const OptionSpec& spec) {
    std::string fact = spec.name;
    std::ranges::replace(fact, '-', '_');
    return fact == key;
  });
}

}  // namespace

std::string unknown_fact(const Certificate& certificate, const Method& method) {
  for (const auto& [key, value] : certificate.options.entries())
    if (std::ranges::find(planned, key) == planned.end() && !key.starts_with("tau_") &&
        !is_option(key, method))
      return fmt::format("options.{}", key);
  for (const auto& [key, value] : certificate.assumed_public.entries())
    if (std::ranges::find(taken_as_public, key) == taken_as_public.end())
      return fmt::format("assumed_public.{}", key);
  return {};
}

}  // namespace tacit::inline v1
