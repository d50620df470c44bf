#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tacit/data.hpp"
#include "tacit/fit.hpp"
#include "tacit/problem.hpp"

namespace tacit::inline v1::service {

// The loss that the options name; without a name, the usual one for the target.
LossSpec choose_loss(const FitOptions& options, TargetKind kind, std::size_t classes);

// LIBSVM and IDX files have labels of their own; a table's target must be named. UsageError otherwise.
void require_target(const ReadOptions& reading);

// How labels are to be read for the loss that the options name.
TargetWish wish_for(const FitOptions& options, const ReadOptions& reading);

// Throws UsageError for a loss that does not exist or a parameter it cannot have.
void check_loss_name(const FitOptions& options);

// What the loss sees in place of the labels, by a public map of each label alone.
struct PreparedTarget {
  std::vector<double> labels;
  double offset = 0, scale = 1;
  std::optional<double> bound;  // public bound on |label|
};
// `labels` are those of the data, handed over: a copy of them is a matter of memory.
PreparedTarget prepare_target(const Dataset& data, std::vector<double> labels, const LossSpec& loss,
                              FitOptions options);

}  // namespace tacit::inline v1::service
