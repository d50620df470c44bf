#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/data/dataset.hpp"
#include "tacit/model/fitted_model.hpp"

namespace tacit::inline v1 {

struct Predictions {
  std::vector<double> value;          // a class number or a number, one per record
  std::vector<double> probabilities;  // record by record, one per class; empty when the loss gives none
  std::vector<double> decision;       // ⟨a,w⟩ of the hinge losses; else empty
};

// Throws DataError when the features are not those of the model.
TACIT_API Predictions predict(const FittedModel& model, const Features& features);

// "prediction,p_<class>…", "prediction,decision" or "prediction", one line per record; floats exactly.
TACIT_API std::string predictions_to_csv(const FittedModel& model, const Predictions& predictions);

// Computed from the records as they are: not private.
struct Metrics {
  std::size_t records = 0;
  std::optional<double> accuracy, log_loss;  // of a classifier; log_loss where there are probabilities
  std::optional<double> rmse, mae;           // of a regression
};

// `data` has labels as they were read: class numbers in the order of model.classes, or numbers.
TACIT_API Metrics evaluate(const FittedModel& model, const Dataset& data);

}  // namespace tacit::inline v1
