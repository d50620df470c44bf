#pragma once

// Private choice among settings [Papernot–Steinke 2022, after Liu–Talwar 2019; docs/tuned.md].
//
// Solves      which method and options to use, when trying them all out would cost each time.
// Assumes     nothing; the settings are public.
// Guarantees  pure ε-DP for one record that is there or null, or that is replaced, as all settings' methods
//             promise it: each run, a pair of model and noisy score, is ε/2-DP; the best of K runs, each with
//             a random setting, K from the logarithmic distribution and never shown, costs twice that.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/shard_pass.hpp"
#include "tacit/method.hpp"

namespace tacit::inline v1::tuning {

struct Setting {
  std::string method;  // a pure-DP method of the table
  Facts options;
};

struct TACIT_API Options {
  double epsilon = 1;             // > 0, the whole budget
  std::vector<Setting> settings;  // at least one
  double validation = 0.2;        // in (0, 1): share of the records that score and do not fit
  double mean_runs = 0;           // ≥ 1; 0: four for each setting
  // Of all settings; what certificates that do not state it were made for. zero_out or replace_one.
  Neighbours neighbours = Neighbours::replace_one;
  // Public, 1 … 2^53: at least as many as there are, for zero_out: the others are null, and have places in
  // both parts.
  std::optional<std::int64_t> records;
  Facts common;  // "threads", "row_norm_bound", "label_bound": passed on to each run

  static const OptionTable<Options>& table();
  void validate() const;
  static Options from(const Facts& facts);
};

// "limited-objective:radius=5,slope_limit=2; limited-output": settings as one line of text, and back.
TACIT_API std::vector<Setting> parse_settings(std::string_view text);
TACIT_API std::string settings_text(const std::vector<Setting>& settings);
// Those that were asked for, or a few that suit most data.
std::string asked_settings(const Facts& facts);
// The one that a certificate says was chosen; empty where nothing was tuned.
TACIT_API std::string chosen_setting(const Certificate& certificate);

// Stopping parameter γ with E[K] = (1/γ − 1)/ln(1/γ) = mean.
TACIT_API double stopping_parameter(double mean_runs);
// K with P(K = k) = (1−γ)^k / (k·ln(1/γ)), exactly.
TACIT_API std::size_t draw_runs(double gamma, BitSource& bits);

// How a shard answers for the scores of its records.
PassKind scores_pass();

TACIT_API Release fit(const Problem& problem, const Options& options, Meter& meter);
TACIT_API std::vector<Step> rebuild_steps(const Facts& options, const Facts& assumed_public);

}  // namespace tacit::inline v1::tuning
