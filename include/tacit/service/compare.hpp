#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/data/read.hpp"
#include "tacit/privacy/guarantee.hpp"
#include "tacit/service/fit.hpp"

namespace tacit::inline v1::service {

// What to compare. The result is measured on records as they are: it is not private.
struct CompareOptions {
  std::vector<double> epsilons = {0.1, 0.3, 1, 3};  // each finite and > 0
  std::optional<double> delta;       // absent: methods that need one are not compared; in (0, 1)
  std::vector<std::string> methods;  // by name; empty: all
  int repeats = 3;                   // fits for each method and epsilon, each on another split; >= 1
  double held_out = 0.25;            // share of the records (or users) that the models are measured on
  double minutes = 8;                // for everything, shared evenly by the methods; > 0
  unsigned workers = 0;              // fits at a time, one thread each; 0: one per core
  FitOptions fit;                    // loss, intercept and bounds, as for a fit
};

// One method under one notion, at one epsilon.
struct ComparedCell {
  double epsilon = 0;
  Guarantee guarantee;         // that the fits were made with, for the method's own neighbours
  std::vector<double> metric;  // one per finished fit
  double seconds = 0;          // processor time of a fit, on average
  std::string reason;          // why there are fewer than `repeats`; empty: there are not
};

struct ComparedMethod {
  std::string method, notion;
  std::string assumes;  // what its guarantee rests on beyond ideal bits; "nothing" is the rule
  Neighbours neighbours = Neighbours::replace_one;
  std::vector<ComparedCell> cells;  // one per epsilon
};

struct NotCompared {
  std::string method, notion, reason;  // notion is empty where none came into question
};

struct Comparison {
  std::string metric;  // "accuracy", the more the better, or "rmse", the less the better
  Unit unit = Unit::item;
  std::optional<double> delta;
  std::size_t records = 0, held_out = 0;  // of the first split
  int repeats = 0;
  double seconds_per_method = 0;             // the share of the time that each had, over all its fits
  std::vector<double> no_privacy, constant;  // one per split: fitted without privacy; the best constant
  std::vector<ComparedMethod> methods;
  std::vector<NotCompared> others;
};

// How far it is, for a progress bar.
struct CompareProgress {
  std::size_t done = 0, total = 0;
  double seconds_left = 0;  // an estimate
};

// Fits every method that can give the guarantee, at every epsilon, and measures it on held-out records. All
// guarantees are brought to one relation, replace_one: a method for zero_out or add_remove is run with half
// of epsilon (and δ/(1+e^{ε/2}), or half of mu), a method that only gives Gaussian privacy with the largest
// mu that implies (ε, δ). Each fit is a child process, so that one that takes too long can be ended. `look`
// may be empty. UsageError, DataError for what no method could fit.
TACIT_API Comparison compare(const ReadOptions& reading, const CompareOptions& options,
                             const std::function<void(const CompareProgress&)>& look);

// What the method has to be run with so that (ε, δ)-DP, or ε-DP without a δ, holds for replace_one.
TACIT_API Guarantee guarantee_to_compare(const std::string& notion, Neighbours relation, double epsilon,
                                         std::optional<double> delta);

// For people, for machines, and as an SVG plot of the metric against epsilon.
TACIT_API std::string comparison_text(const Comparison& comparison);
TACIT_API std::string comparison_json(const Comparison& comparison);
TACIT_API std::string comparison_plot(const Comparison& comparison);

}  // namespace tacit::inline v1::service
