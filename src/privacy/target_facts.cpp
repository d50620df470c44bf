#include "tacit/meter.hpp"

#include <limits>

namespace tacit::inline v1 {

void set_target(Facts& facts, const Guarantee& target) {
  if (std::holds_alternative<NoPrivacy>(target))
    facts.set("epsilon", std::numeric_limits<double>::infinity());
  if (const auto* pure = std::get_if<Pure>(&target)) facts.set("epsilon", pure->epsilon);
  if (const auto* gaussian = std::get_if<Gaussian>(&target)) facts.set("mu", gaussian->mu);
  if (const auto* approx = std::get_if<Approx>(&target)) {
    facts.set("epsilon", approx->epsilon);
    facts.set("delta", approx->delta);
  }
}

Guarantee target_from(const Facts& facts) {
  if (facts.has("mu")) return Gaussian{facts.number("mu")};
  if (!facts.has("delta")) return Pure{facts.number("epsilon")};
  return Approx{facts.number("epsilon"), facts.number("delta")};
}

}  // namespace tacit::inline v1
