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

// None for "auto" and where it is not said.
inline std::optional<double> auto_or_number(const Facts& facts, std::string_view key) {
  for (const auto& [name, value] : facts.entries())
    if (name == key && std::holds_alternative<double>(value)) return std::get<double>(value);
  if (!facts.has(key) || facts.text(key) == "auto") return std::nullopt;
  const std::string& text = facts.text(key);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw_error<UsageError>("{} is \"{}\", expected a number > 0 or auto",
                            key == "clip_norm" ? "clip-norm" : key, text);
  return value;
}
inline std::string auto_or_text(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "auto";
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
