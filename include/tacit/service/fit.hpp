#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/algorithm/method.hpp"
#include "tacit/core/api.hpp"
#include "tacit/data/read.hpp"
#include "tacit/model/fitted_model.hpp"
#include "tacit/privacy/bit_source.hpp"
#include "tacit/privacy/meter.hpp"
#include "tacit/service/checkpoint.hpp"
#include "tacit/service/ledger.hpp"

namespace tacit::inline v1::service {

// How to fit, apart from where the data is. All of it is public.
struct FitOptions {
  std::string loss;                      // empty: 2 classes logistic, more softmax, numbers squared
  std::optional<double> loss_parameter;  // huber, smoothed-hinge: > 0; pinball: in (0, 1); max-affine: pieces
  std::optional<std::int64_t> hidden;    // units of a network's hidden layer, >= 1; absent: 64
  std::string method;                    // empty or "auto": chosen by a public rule (choose.hpp)
  Unit unit = Unit::item;                // whose data is protected, when the method is chosen
  Guarantee guarantee = Pure{1};         // pure, approx, gaussian or none
  std::optional<Neighbours> neighbours;  // absent: the method's default
  double intercept = 1;                  // value of the constant feature; 0: none
  std::optional<double> row_bound;       // public bound on every row's 2-norm, intercept not counted
  std::optional<double> target_min, target_max;  // public bounds of a numeric target
  bool target_log1p = false;  // the model is for log(1 + y − target_min), which must be given
  // What numbers with open knots become: the one switch between what models of format 1 see and hats.
  EncoderRule encoder = EncoderRule::linear_v1;
  std::string target;                                 // name of what is predicted, for the model
  Facts method_options;                               // of the method, under their fact names
  unsigned threads = 0;                               // 0: one per core; at most 1024
  std::vector<std::string> assumptions;               // what the caller did that the guarantee does not cover
  std::function<void(const Step&)> before_each_step;  // as in Meter
  std::optional<LedgerUse> ledger;  // charged with the whole guarantee right before the first noise is drawn
  std::optional<CheckpointUse> checkpoint;  // with a ledger only; finish_checkpoint() when the model is safe
};

// Fits records in memory. Labels are class numbers or numbers, as data.target_kind says. The guarantee covers
// the records; everything else, data.classes and data.names included, is taken to be public.
TACIT_API FittedModel fit(Dataset data, const FitOptions& options);
// The same with the caller's bits: seeded ones mark the model as not private.
TACIT_API FittedModel fit(Dataset data, const FitOptions& options, BitSource& bits);

// Reads a file and fits it. Bounds and classes come from reading.schema; what had to be read off the data
// instead is listed in the certificate's assumed_public and assumptions.
TACIT_API FittedModel fit_file(const ReadOptions& reading, const FitOptions& options);
TACIT_API FittedModel fit_file(const ReadOptions& reading, const FitOptions& options, BitSource& bits);

// What is asked for by epsilon alone (pure; none when infinite), epsilon and delta, or mu. UsageError for
// anything else.
TACIT_API Guarantee requested_guarantee(std::optional<double> epsilon, std::optional<double> delta,
                                        std::optional<double> mu);

// All that the fit by this method may spend.
TACIT_API Budget requested_budget(const FitOptions& options, const Method& method);

// The value of a method's option from its text. UsageError names the option and its range.
TACIT_API FactValue parse_option(const OptionSpec& spec, std::string_view text);
// "slope-limit" is kept in certificates as "slope_limit".
TACIT_API std::string fact_name(std::string_view option);

// The model file, signed with the key in PEM at `key` unless that is empty.
TACIT_API std::string model_text(const FittedModel& model, const std::filesystem::path& key);

// Throws unless the file holds an Ed25519 private key in PEM: found before anything is spent on what it would
// sign.
TACIT_API void require_signing_key(const std::filesystem::path& key);

// Throws WriteError when `path` can surely not be written, or belongs to a ledger, whose charges would be
// forgotten: before anything is spent on what would go there.
TACIT_API void require_writable(const std::filesystem::path& path);

}  // namespace tacit::inline v1::service
