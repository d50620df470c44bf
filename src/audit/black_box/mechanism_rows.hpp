#pragma once

#include <vector>

#include "audit/black_box/mechanism.hpp"
#include "tacit/root_meter.hpp"

// What the rows of the table of audited mechanisms have in common.

namespace tacit::inline v1::audit {

inline constexpr double row_range = 16;  // public bound on every value that a row uses
inline constexpr double row_epsilon = 1;
inline constexpr double row_mu = 1, row_delta = 0.01;  // of Gaussian rows, audited at this delta

// A meter that lets a control pass: what is audited is the claim of the row, not a budget.
inline RootMeter open_meter(BitSource& bits) { return RootMeter({.limit = NoPrivacy{}}, bits); }

// The true sensitivity of every row is 1; this is what its mechanism is told.
inline Sensitivity told(const Knobs& knobs, Norm norm) {
  return {.value = knobs.sensitivity, .slack = 0, .norm = norm, .reason = "the two values differ by 1"};
}

std::vector<AuditedMechanism> noise_rows();  // tacit/mechanisms.hpp
std::vector<AuditedMechanism>
choice_rows();  // noise/selection.hpp, noise/cells.hpp, noise/threshold.hpp, noise/stable_releases.hpp
std::vector<AuditedMechanism> stream_rows();  // noise/prefix_sums.hpp

}  // namespace tacit::inline v1::audit
