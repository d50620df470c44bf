#pragma once

#include "tacit/core/api.hpp"
#include "tacit/privacy/guarantee.hpp"

namespace tacit::inline v1::audit {

// What is audited: for neighbours A, B and every set S of outputs, P_A(S) ≤ e^epsilon·P_B(S) + delta.
// Infinite: nothing is promised.
struct Claim {
  double epsilon = 0;
  double delta = 0;
};

// The same promise at (epsilon, delta); `delta` counts only for notions that leave it open. For a Rényi curve
// and zCDP this is weaker than the guarantee itself.
TACIT_API Claim claim_of(const Guarantee& guarantee, double delta);

}  // namespace tacit::inline v1::audit
