#pragma once

// Layer: model.
//
// A fitted model, its file, and what it predicts.
//
//     tacit::FittedModel model = tacit::service::load_model("model.json");   // tacit/service.hpp
//     tacit::Predictions found = tacit::predict(model, records.features);

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"
#include "tacit/meter.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1 {

// What was released to find the columns' ranges, where nobody stated them [docs/private_schema.md].
struct RangeAnswers {
  std::vector<std::vector<double>> numbers = {};     // question by question
  std::vector<std::vector<std::string>> texts = {};  // of the questions that have texts for an answer
};

// Confidence intervals of the parameters, and what was released of the records to find them
// [docs/intervals.md].
struct Intervals {
  double level = 0;                                   // how often one of them holds what it is for
  Vector lower = {}, upper = {};                      // of the population's parameters
  Vector minimiser_lower = {}, minimiser_upper = {};  // of the minimiser's, without noise
  Vector released = {};
};

// What a fit gives: the released parameters, exactly as the mechanism let them out, and everything needed to
// predict with them and to check their guarantee. A linear model: `Problem` has the order of the parameters.
struct FittedModel {
  LossSpec loss = {};
  double intercept = 1;      // value of the constant feature; 0: none
  std::size_t features = 0;  // without the intercept
  Vector parameters = {};
  std::vector<Vector> samples = {};  // of a sampler that was asked for several, `parameters` last; else empty
  std::vector<std::string> names = {};    // of the features; empty when the data has none
  std::string target = {};                // the column that is predicted; empty when it has no name
  std::vector<std::string> classes = {};  // of a classifier; a two-class link has classes[0] at −1, [1] at +1
  double offset = 0, scale = 1;           // regression: what is predicted is offset + scale·⟨a,w⟩
  std::optional<Schema> schema = {};
  ImageFeatures image_features = ImageFeatures::none;  // what becomes of images before the model sees them
  Certificate certificate = {};
  std::optional<RangeAnswers> ranges = {};  // the schema is theirs
  std::optional<Intervals> intervals = {};
};

// Throws DataError unless the parts fit each other.
TACIT_API void validate(const FittedModel& model);

// "logistic", …, "softmax".
TACIT_API std::string_view name(const LossSpec& loss);

}  // namespace tacit::inline v1

// The model file (docs/certificate.md): JSON that begins {"format": "tacit-model", "version": 2, keeps every
// float exactly, embeds schema and certificate, and ends with a digest of all the rest.

namespace tacit::inline v1 {

// 2: steps hold those within them. Version 1, which lists the charged steps alone, is read as well.
inline constexpr int model_format_version = 2;

TACIT_API std::string model_to_json(const FittedModel& model);

// `source` begins every message. DataError for what is not a complete model file, or one of a newer version.
// The digest is not looked at: that is for `verify`.
TACIT_API FittedModel parse_model(std::string_view text, std::string_view source);

// The same file, a model or another with a certificate, with an Ed25519 signature by the private key in PEM.
// UsageError for another kind of key.
TACIT_API std::string sign_model(std::string_view text, std::string_view private_key_pem);

// The summary that `fit --json` prints: guarantee, unit, neighbours, method, private. Depends on nothing but
// public values.
TACIT_API std::string summary_json(const Certificate& certificate);
// The same for people, as every command prints it: the promise in full, and a line for each assumption.
TACIT_API std::string summary_text(const Certificate& certificate);

struct Predictions {
  std::vector<double> value = {};          // a class number or a number, one per record
  std::vector<double> probabilities = {};  // record by record, one per class; empty when the loss gives none
  std::vector<double> decision = {};       // ⟨a,w⟩ of the hinge losses; else empty
};

// Throws DataError when the features are not those of the model.
TACIT_API Predictions predict(const FittedModel& model, const Features& features);

// "prediction,p_<class>…", "prediction,decision" or "prediction", one line per record; floats exactly.
TACIT_API std::string predictions_to_csv(const FittedModel& model, const Predictions& predictions);

// Computed from the records as they are: not private.
struct Metrics {
  std::size_t records = 0;
  std::optional<double> accuracy = {},
                        log_loss = {};        // of a classifier; log_loss where there are probabilities
  std::optional<double> rmse = {}, mae = {};  // of a regression
};

// `data` has labels as they were read: class numbers in the order of model.classes, or numbers.
TACIT_API Metrics evaluate(const FittedModel& model, const Dataset& data);

// A linear model as people read it: what one unit of a feature adds to an output, in the target's own units.
struct Coefficients {
  std::vector<std::string> outputs = {};   // softmax: the classes; else one, the target's name or ""
  std::vector<std::string> features = {};  // the model's names, or "feature 1", …
  Matrix values = {};                      // features × outputs
  Vector intercepts = {};                  // one per output: what is predicted when every feature is 0
};

// Of a classifier with two classes: added to the margin for classes[1]; of softmax: to the logits; of
// poisson: to the logarithm of the count; of another regression: to the number that is predicted. UsageError
// for a network, which has none.
TACIT_API Coefficients coefficients(const FittedModel& model);

// Along a column, in its own units: where a model's curve has its points.
enum class AxisKind {
  number,
  date,
  category,  // no order among them; `other` and `missing` come last
  ordered,   // months, weekdays, hours
};
struct ColumnAxis {
  std::string column = {};  // as in block_names
  AxisKind kind = AxisKind::number;
  std::vector<double> at{};            // number; date: seconds since 1970, UTC; else 0, 1, …
  std::vector<std::string> labels{};   // of a number none; date: its text; else the category's name
  std::optional<double> log1p_from{};  // curves are straight in log(1 + x − this), not in x

  TACIT_API double place(double x) const;  // of x on the scale in which curves are straight
};

// What one column, or a pair of columns, adds to each output, centered: its average is 0. The average is over
// the column's range, even on the scale of its transform; over the categories that the schema lists; of a
// pair, over both. All of that is public.
struct Curve {
  std::string name = {};              // "age", "when.hour", "age*hours"
  std::vector<ColumnAxis> axes = {};  // one; of a pair two
  Matrix y = {};                      // outputs × points; of a pair the second axis runs first
  // Where the noise's law is public: with probability `Curves::level` noise alone moved y by no more than
  // this. Outputs × points, or empty.
  Matrix half_width = {};
  // Where the certificate tells: root mean square of what noise alone adds at a point whose own feature no
  // record has, such as a category without records. Outputs × points, or empty.
  Matrix noise = {};
  Vector missing = {};  // of an empty cell of a number, one for each output; empty: no such
};

// An additive model as people read it: output = constant + the sum of its curves.
struct Curves {
  std::vector<std::string> outputs = {};  // as of Coefficients
  Vector constants = {};
  std::vector<Curve> curves = {};  // in the order of the features
  double level = 0.95;
  std::string no_half_width = {};  // why there is none; empty: there is
  std::string no_noise = {};       // the same of Curve::noise
};

// From the model alone: no record is read. UsageError where there are none: for a network, and without a
// schema, which says what the columns are.
TACIT_API Curves curves(const FittedModel& model);

// Events as people write them down (docs/accounting.md): an array, or {"neighbours": …, "events": […]}, of
// what a certificate has under "event", each with an optional "count".
struct EventList {
  std::vector<Event> events = {};
  Neighbours neighbours = Neighbours::zero_out;
};

// `source` begins every message. DataError names the event and what is wrong with it.
TACIT_API EventList parse_events(std::string_view text, std::string_view source);

}  // namespace tacit::inline v1
