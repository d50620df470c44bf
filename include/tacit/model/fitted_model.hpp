#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/core/api.hpp"
#include "tacit/core/linalg.hpp"
#include "tacit/data/read.hpp"
#include "tacit/data/schema.hpp"
#include "tacit/privacy/certificate.hpp"
#include "tacit/solver/classifies.hpp"

namespace tacit::inline v1 {

// What a fit gives: the released parameters, exactly as the mechanism let them out, and everything needed to
// predict with them and to check their guarantee. A linear model: `Problem` has the order of the parameters.
struct FittedModel {
  LinearLoss loss;
  double intercept = 1;      // value of the constant feature; 0: none
  std::size_t features = 0;  // without the intercept
  Vector parameters;
  std::vector<Vector> samples;       // of a sampler that was asked for several, `parameters` last; else empty
  std::vector<std::string> names;    // of the features; empty when the data has none
  std::string target;                // the column that is predicted; empty when it has no name
  std::vector<std::string> classes;  // of a classifier; a two-class link has classes[0] at −1, [1] at +1
  double offset = 0, scale = 1;      // regression: what is predicted is offset + scale·⟨a,w⟩
  std::optional<Schema> schema;
  ImageFeatures image_features = ImageFeatures::none;  // what becomes of images before the model sees them
  Certificate certificate;
};

// Throws DataError unless the parts fit each other.
TACIT_API void validate(const FittedModel& model);

// "logistic", …, "softmax".
TACIT_API std::string_view name(const LinearLoss& loss);

}  // namespace tacit::inline v1
