#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/seeded_bits.hpp"
#include "tacit/audit.hpp"
#include "tacit/problem.hpp"

namespace tacit::testing {

// A black box whose bits are fixed by `seed`.
inline audit::BlackBoxOptions seeded_black_box(std::size_t runs, double confidence, std::uint64_t seed) {
  return {.runs = runs, .confidence = confidence, .bits = [seed](std::size_t part) {
            return seeded_bits(seed * 1000003 + part);
          }};
}

// Those checks that failed, for messages.
inline std::string failures(const audit::MethodAudit& audit) {
  std::string text;
  for (const audit::Check& check : audit.checks)
    if (!check.ok())
      text += fmt::format("{} ({}): bound {}, measured {}\n", check.what, check.pair, check.bound,
                          check.measured);
  return text;
}

inline std::vector<LossSpec> every_loss() {
  return {Link{LinkKind::squared, 0},
          Link{LinkKind::huber, 1},
          Link{LinkKind::absolute, 0},
          Link{LinkKind::pinball, 0.5},
          Link{LinkKind::logistic, 0},
          Link{LinkKind::hinge, 0},
          Link{LinkKind::poisson, 0},
          Link{LinkKind::smoothed_hinge, 0.5},
          Softmax{3}};
}

inline std::string loss_name(const LossSpec& loss) {
  const auto* link = std::get_if<Link>(&loss);
  return link ? std::string(name(link->kind)) : "softmax";
}

}  // namespace tacit::testing
