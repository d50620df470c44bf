#pragma once

#include <span>
#include <string>

#include "tacit/audit.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::audit {

enum class Side { first, second };  // which of two neighbours

// What a negative control turns. An audit that passes with a knob turned detects nothing.
struct Knobs {
  double noise = 1;        // the noise is this times what the claim needs; 0: none
  double sensitivity = 1;  // the mechanism is told this times the true sensitivity
};

// A mechanism as a row of the table of audited ones. A new mechanism needs a row here and nothing else: the
// tests audit every row, and check that every control fails.
struct AuditedMechanism {
  std::string name;
  Claim claim;  // with the knobs at 1
  // Runs it on the one or the other of two values that are as far apart as the sensitivity allows.
  Vector (*run)(Side side, const Knobs& knobs, BitSource& bits) = nullptr;
};

TACIT_API std::span<const AuditedMechanism> audited_mechanisms();

// The lower bound on the epsilon of the mechanism with these knobs; it refutes the claim when it is above.
TACIT_API BlackBoxResult audit_mechanism(const AuditedMechanism& mechanism, const Knobs& knobs,
                                         const BlackBoxOptions& options);

}  // namespace tacit::inline v1::audit
