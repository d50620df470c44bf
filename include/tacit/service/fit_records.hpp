#pragma once

#include <optional>

#include "tacit/core/api.hpp"
#include "tacit/data/read.hpp"
#include "tacit/model/fitted_model.hpp"
#include "tacit/service/fit.hpp"

namespace tacit::inline v1::service {

// Fits records that lie in memory as a reader would have left them there, encoded with `schema` if there is
// one. What read.read_off_data lists is in the certificate's assumed_public and assumptions, as for a file.
TACIT_API FittedModel fit_records(ReadResult read, const std::optional<Schema>& schema,
                                  const FitOptions& options);
TACIT_API FittedModel fit_records(ReadResult read, const std::optional<Schema>& schema,
                                  const FitOptions& options, BitSource& bits);

}  // namespace tacit::inline v1::service
