#pragma once

#include <cstddef>
#include <vector>

#include "tacit/core.hpp"

// AC-SA for strongly convex functions, in stages [Ghadimi–Lan 2012, 2013; LowyLiuAsi24, Alg. 2, Remark C.5].
// It sees gradients that were released, so all of it is post-processing.

namespace tacit::inline v1::user_level {

// What the lengths of stages and steps follow from.
struct AccelerationFacts {
  double smoothness = 1;        // β > 0
  double strong_convexity = 1;  // λ > 0
  double variance = 0;          // of a gradient: E‖g − ∇F‖²
  double gap = 1;               // F(x₀) − min F ≤ this, > 0
};

struct TACIT_API Stage {
  std::size_t steps = 0;  // N_k
  double damping = 0;     // φ_k: γ_t = 4φ_k/(t(t+1))
};
// `steps` in all, in stages of at least 4√(2β/λ) each, the gap halved by each one.
TACIT_API std::vector<Stage> plan_stages(std::size_t steps, const AccelerationFacts& facts);

class TACIT_API Accelerated {
 public:
  // Within ‖x − start‖ ≤ radius and ‖x‖ ≤ domain, where start is.
  Accelerated(Vector start, double radius, double domain, const AccelerationFacts& facts,
              std::vector<Stage> stages);

  // Where the next gradient is wanted.
  const Vector& query() const { return query_; }
  void step(const Vector& gradient);
  // The aggregated point, which the bound is about.
  const Vector& result() const { return aggregate_; }

 private:
  void begin_step();
  double alpha() const { return 2.0 / (static_cast<double>(t_) + 1); }
  double gamma() const;

  Vector center_, x_, aggregate_, query_;
  double radius_, domain_, lambda_;
  std::vector<Stage> stages_;
  std::size_t stage_ = 0, t_ = 1;
};

}  // namespace tacit::inline v1::user_level
