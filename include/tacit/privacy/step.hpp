#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/privacy/event.hpp"
#include "tacit/privacy/nesting.hpp"

namespace tacit::inline v1 {

// `gauge`: that of the features' blocks (data/blocks.hpp).
enum class Norm { l1, l2, linf, gauge };

// How far a function of the data can move between neighbours, and why. `value` bounds the function over the
// reals; `slack` bounds what the machine's arithmetic and solvers add. What is charged is their sum.
struct Sensitivity {
  double value = 0;
  double slack = 0;
  Norm norm = Norm::l2;
  std::string reason;

  TACIT_API double total() const;  // value + slack, rounded up
  bool operator==(const Sensitivity&) const = default;
};

// One use of a mechanism, or of several within one, as the certificate records it. Every field is public.
struct Step {
  std::string mechanism;      // "isotropic-laplace", "objective-perturbation", …
  Event event;                // what it costs
  Sensitivity sensitivity;    // of what was released
  double scale = 0;           // of the noise; sigma for a Gaussian
  double grid = 0;            // outputs are multiples of this
  std::size_t dimension = 0;  // numbers released
  std::uint64_t times = 1;    // among the inner steps of another: taken at most so often

  // What was planned to happen within it: `event` covers all of it by the rule.
  Nesting nesting = {};
  std::vector<Step> inner = {};

  bool operator==(const Step&) const = default;
};

}  // namespace tacit::inline v1
