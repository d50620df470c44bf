#pragma once

// Layer: service.
//
// The other jobs of the tool, one function each: account, audit, compare, report, schema.
//
//     std::string page = tacit::service::report("model.json", "").page;

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/account.hpp"
#include "tacit/audit.hpp"
#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/guarantee.hpp"
#include "tacit/meter.hpp"
#include "tacit/model.hpp"
#include "tacit/verify.hpp"

// What can be done with a model file.

namespace tacit::inline v1::service {

// Throws NotFoundError or DataError; does not check the certificate.
TACIT_API FittedModel load_model(const std::filesystem::path& path);

// Records for the model: read with its schema, classes and number of features. The target may be missing.
TACIT_API Dataset read_for_prediction(const FittedModel& model, ReadOptions reading);
// The same with labels, which must be there.
TACIT_API Dataset read_for_evaluation(const FittedModel& model, ReadOptions reading);

// Checks the file against its method, and its signature when `public_key` (PEM) is not empty.
// VerificationError says what does not hold.
TACIT_API Verification verify(const std::filesystem::path& path, const std::filesystem::path& public_key);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

TACIT_API EventList load_events(const std::filesystem::path& path);

// `steps` Poisson-sampled Gaussian steps, as DP-SGD takes them.
struct SampledSteps {
  double noise_multiplier = 0, rate = 1;
  std::int64_t steps = 1;
  Neighbours neighbours = Neighbours::zero_out;
};
// UsageError names the flag's value and its range.
TACIT_API void validate(const SampledSteps& steps);
TACIT_API Bracket account_steps(const SampledSteps& steps, double delta);
TACIT_API Bracket account_events(const EventList& list, double delta);

// The least noise multiplier for a target: Approx, Gaussian or Zcdp.
TACIT_API double calibrate(const Guarantee& target, double rate, std::int64_t steps, Neighbours neighbours);

// δ against ε as SVG: the upper and the lower end, around the point asked for.
TACIT_API std::string plot_delta(std::span<const Event> events, const Bracket& around);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// What to audit. What comes out is about the method; with a pair of one's own it is about that data too, and
// is not private.
struct AuditOptions {
  std::string method = "limited-objective";
  double epsilon = 1;                // the claim, > 0; infinite: none, for a method that makes none
  std::optional<double> delta = {};  // for methods whose claim has one; absent: 1e-5
  std::string notion = {};           // of the guarantee to audit; empty: the one the method usually gives
  std::optional<Neighbours> neighbours = {};  // the relation to audit; absent: the method's usual one
  std::string loss = {};                      // empty: logistic, or by the target of one's own pair
  std::optional<double> loss_parameter = {};
  std::optional<std::int64_t> hidden = {};  // units of a network's hidden layer; absent: 2
  // Of the method, by their names in `tacit methods`: "slope_limit" or "slope-limit". UsageError for a name
  // that the method does not have, or a value that the option may not have.
  Facts method_options = {};
  std::size_t runs = 0;  // of the black box, on each neighbour; 0: 50000, or 1000 on one's own pair
  double confidence = 0.9999;
  unsigned threads = 0;  // 0: one per core

  // For a pair of one's own.
  std::optional<double> row_bound =
      {};                // public bound on every row's 2-norm, intercept not counted; or a schema has it
  double intercept = 1;  // value of the constant feature; 0: none
};

// On the built-in pairs.
TACIT_API audit::MethodAudit audit(const AuditOptions& options);

// And on two files that differ in one record: `reading` says how to read both, its path is the first.
TACIT_API audit::MethodAudit audit(const AuditOptions& options, const ReadOptions& reading,
                                   const std::filesystem::path& second);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// What to compare. The result is measured on records as they are: it is not private.
struct CompareOptions {
  std::vector<double> epsilons = {0.1, 0.3, 1, 3};  // each finite and > 0
  std::optional<double> delta = {};       // absent: methods that need one are not compared; in (0, 1)
  std::vector<std::string> methods = {};  // by name; empty: all
  int repeats = 3;                        // fits for each method and epsilon, each on another split; >= 1
  double held_out = 0.25;                 // share of the records (or users) that the models are measured on
  double minutes = 8;                     // for everything, shared evenly by the methods; > 0
  unsigned workers = 0;                   // fits at a time, one thread each; 0: one per core
  FitOptions fit = {};                    // loss, intercept, bounds and the one relation, as for a fit
};

// One method under one notion, at one epsilon.
struct ComparedCell {
  double epsilon = 0;
  Guarantee guarantee = {};         // that the fits were made with, for the method's own neighbours
  std::vector<double> metric = {};  // one per finished fit
  double seconds = 0;               // processor time of a fit, on average
  std::string reason = {};          // why there are fewer than `repeats`; empty: there are not
};

struct ComparedMethod {
  std::string method = {}, notion = {};
  std::string assumes = {};  // what its guarantee rests on beyond ideal bits; "nothing" is the rule
  Neighbours neighbours = Neighbours::replace_one;
  std::vector<ComparedCell> cells = {};  // one per epsilon
};

struct NotCompared {
  std::string method = {}, notion = {}, reason = {};  // notion is empty where none came into question
};

struct Comparison {
  std::string metric = {};  // "accuracy", the more the better, or "rmse", the less the better
  Unit unit = Unit::item;
  Neighbours neighbours = usual_neighbours;  // that all guarantees were brought to
  std::optional<double> delta = {};
  std::size_t records = 0, held_out = 0;  // of the first split
  int repeats = 0;
  double seconds_per_method = 0;  // the share of the time that each had, over all its fits
  std::vector<double> no_privacy = {},
                      constant = {};  // one per split: fitted without privacy; the best constant
  std::vector<ComparedMethod> methods = {};
  std::vector<NotCompared> others = {};
};

// How far it is, for a progress bar.
struct CompareProgress {
  std::size_t done = 0, total = 0;
  double seconds_left = 0;  // an estimate
};

// Fits every method that can give the guarantee, at every epsilon, and measures it on held-out records. All
// guarantees are brought to one relation, options.fit.neighbours or zero_out. One for replaced records holds
// for null ones as well, so a method that has no other is run as it is. Where replace_one is asked for, a
// method for zero_out or add_remove is run with half of epsilon (and δ/(1+e^{ε/2}), or half of mu). A method
// that only gives Gaussian privacy is run with the largest mu that implies (ε, δ). Each fit is a child
// process, so that one that takes too long can be ended. `look` may be empty. UsageError, DataError for what
// no method could fit.
TACIT_API Comparison compare(const ReadOptions& reading, const CompareOptions& options,
                             const std::function<void(const CompareProgress&)>& look);

// What the method, run for `relation`, has to be run with so that (ε, δ)-DP, or ε-DP without a δ, holds for
// `common`.
TACIT_API Guarantee guarantee_to_compare(const std::string& notion, Neighbours relation, double epsilon,
                                         std::optional<double> delta, Neighbours common = usual_neighbours);

// For people, for machines, and as an SVG plot of the metric against epsilon.
TACIT_API std::string comparison_text(const Comparison& comparison);
TACIT_API std::string comparison_json(const Comparison& comparison);
TACIT_API std::string comparison_plot(const Comparison& comparison);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// A model's promise for people: one HTML page that loads nothing from anywhere.
struct Report {
  std::string page = {};
  std::string json = {};     // what holds, and the curves (curves_json), for machines
  std::string failure = {};  // why the promise does not hold, and then the page says so; empty when it does
  std::vector<std::string> assumptions = {};  // it holds only if these are true
  // The files that are signed and whose signature was not checked, since no key was given; commas between.
  std::string unchecked = {};
};

// In one or two words, as in JSON: none, not checked, valid.
TACIT_API std::string_view name(SignatureState state);

// Verifies the model, with its signature when `public_key` (PEM) is not empty, and writes the page about it.
// Everything on the page is public or released. DataError for a file that is no model, or was edited or
// damaged (its digest does not hold).
TACIT_API Report report(const std::filesystem::path& model, const std::filesystem::path& public_key);

// One page for everything that was released of the same people: the ledger's budget, descriptions, schemas,
// models with their curves, evaluations. Each file is verified; `failure` names the first that fails.
struct Project {
  std::vector<std::filesystem::path> files = {};
  std::filesystem::path ledger = {}, public_key = {};  // empty: none
};
TACIT_API Report project_report(const Project& project);

// Brings a model file of format 1 to format 2: the same model, whose certificate has the steps within steps.
// Whether there was anything to do. VerificationError for a file that does not hold, UsageError for a signed
// one: its signature is for the file as it is. What was there is replaced in one step, or not at all.
TACIT_API bool upgrade_model(const std::filesystem::path& model);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// The model's curves (tacit/model.hpp) as JSON: `curves`, by name, each with `x`, `y` and `interval`
// (docs/features.md). Where there are none, `curves` is null and `no_curves` says why.
TACIT_API std::string curves_json(const FittedModel& model);

// The same as one SVG file, all of them, largest first, or one column or pair alone. UsageError where there
// are none, or no such column.
TACIT_API std::string curves_svg(const FittedModel& model, const std::string& column);

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

TACIT_API Schema load_schema(const std::filesystem::path& path);

// The same with these columns ignored, and pairs with them left out. UsageError for one that it does not
// have.
TACIT_API Schema without_columns(Schema schema, const std::vector<std::string>& names);

// A first schema for the file as JSON text, marked as drafted from the data.
TACIT_API std::string draft_schema_text(const DraftOptions& options);

// Writes the table that `reading` names, with its schema, to `output`, a name that ends in .tacit: a file
// that a fit maps instead of reading it (docs/data.md). UsageError without a schema. `schema_file` is the
// text of the file that the schema was read from: a certificate there goes along, so that a fit states it.
TACIT_API EncodedFile encode(const ReadOptions& reading, const std::filesystem::path& output,
                             const std::string& schema_file = "");

}  // namespace tacit::inline v1::service

namespace tacit::inline v1::service {

// All that a ledger holds, for whoever keeps it: `ledger show` (docs/ledger.md). Sensitive: it has the number
// of failed reads.
TACIT_API std::string shown_ledger_text(const std::filesystem::path& path);
TACIT_API std::string shown_ledger_json(const std::filesystem::path& path);

// For auditors: limits and charges as JSON, without the failed reads.
TACIT_API std::string exported_ledger_json(const std::filesystem::path& path);

}  // namespace tacit::inline v1::service
