#pragma once

#include <charconv>
#include <cmath>
#include <optional>

#include "tacit/algorithm/method.hpp"
#include "tacit/core/error.hpp"
#include "tacit/privacy/meter.hpp"
#include "tacit/solver/clipped_sums.hpp"

// How the methods of this folder cut the gradients of records.

namespace tacit::inline v1::user_level {

// As dp-sgd's `auto` has it [heuristic: utility only].
inline constexpr double auto_threshold = 0.2;

// Gradients in units of the clip norm, no longer than 1.
inline Clip record_clip(const std::optional<double>& clip_norm) {
  return {.length = 1, .norm = clip_norm.value_or(0), .threshold = clip_norm ? 0 : auto_threshold};
}

inline void require_positive(double value, std::string_view what) {
  if (!(value >= 1e-30 && value <= 1e30))
    throw_error<UsageError>("{} is {}, expected between 1e-30 and 1e30", what, value);
}

inline void require_record_clip(const std::optional<double>& clip_norm) {
  if (clip_norm) require_positive(*clip_norm, "clip-norm");
}

inline std::optional<double> record_clip_of(const Facts& facts) {
  if (!facts.has("clip_norm") || facts.text("clip_norm") == "auto") return std::nullopt;
  const std::string& text = facts.text("clip_norm");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw_error<UsageError>("clip-norm is \"{}\", expected a number > 0 or auto", text);
  return value;
}

inline OptionSpec record_clip_spec() {
  return {"clip-norm", OptionKind::text, "how long one record's gradient may be; its unit", "> 0 or auto",
          "auto: records scaled to equal lengths"};
}

inline void require_replaced_users(const Meter& meter) {
  if (meter.budget().unit != Unit::user || meter.budget().neighbours != Neighbours::replace_one)
    throw_error<UsageError>("the method protects replaced users, but the budget is for the unit {} and {}",
                            name(meter.budget().unit), name(meter.budget().neighbours));
}

}  // namespace tacit::inline v1::user_level
