#pragma once

#include <optional>

#include "solver/clipped_sums.hpp"
#include "tacit/core.hpp"
#include "tacit/meter.hpp"
#include "tacit/method.hpp"

// How the methods of this folder cut the gradients of records.

namespace tacit::inline v1::user_level {

// Gradients in units of the clip norm, no longer than 1.
inline Clip record_clip(const std::optional<double>& clip_norm) {
  return {.length = 1, .norm = clip_norm.value_or(0), .threshold = clip_norm ? 0 : auto_threshold};
}

// Of sizes: far beyond any use, and so that no product can overflow or vanish.
inline constexpr Range size_range = positive(1e-30, 1e30);

template <class O>
Field<O> record_clip_field(std::optional<double> O::*member) {
  return auto_or_number(member, "clip-norm", size_range, "how long one record's gradient may be; its unit")
      .otherwise("auto: records scaled to equal lengths");
}

inline void require_replaced_users(const Meter& meter) {
  if (meter.budget().unit != Unit::user || meter.budget().neighbours != Neighbours::replace_one)
    throw_error<UsageError>("the method protects replaced users, but the budget is for the unit {} and {}",
                            record_or_user(meter.budget().unit), name(meter.budget().neighbours));
}

}  // namespace tacit::inline v1::user_level
