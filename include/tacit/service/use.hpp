#pragma once

#include <filesystem>
#include <string>

#include "tacit/core/api.hpp"
#include "tacit/data/read.hpp"
#include "tacit/model/fitted_model.hpp"
#include "tacit/model/predict.hpp"
#include "tacit/model/verify.hpp"

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
