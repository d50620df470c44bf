#include "algorithm/user_level/accelerated.hpp"

#include <algorithm>
#include <cmath>

namespace tacit::inline v1::user_level {

std::vector<Stage> plan_stages(std::size_t steps, const AccelerationFacts& facts) {
  const double least = std::ceil(4 * std::sqrt(2 * facts.smoothness / facts.strong_convexity));
  const std::size_t length =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::min(least, 1e9)), 1, steps);
  const std::size_t count = steps / length;
  std::vector<Stage> stages;
  for (std::size_t k = 0; k < count; ++k) {
    // The last stage takes what the division leaves.
    const std::size_t n = k + 1 < count ? length : steps - length * (count - 1);
    const double N = static_cast<double>(n), gap = facts.gap * std::pow(0.5, static_cast<double>(k));
    // φ_k = max(2β, √(λσ²N(N+1)(N+2)/(3·V₀2^{1−k})))  [Ghadimi–Lan 2013, Alg. 3]
    const double noise = facts.strong_convexity * facts.variance * N * (N + 1) * (N + 2) / (3 * gap);
    stages.push_back({n, std::max(2 * facts.smoothness, std::sqrt(noise))});
  }
  return stages;
}

Accelerated::Accelerated(Vector start, double radius, double domain, const AccelerationFacts& facts,
                         std::vector<Stage> stages)
    : center_(start),
      x_(start),
      aggregate_(std::move(start)),
      radius_(radius),
      domain_(domain),
      lambda_(facts.strong_convexity),
      stages_(std::move(stages)) {
  begin_step();
}

double Accelerated::gamma() const {
  const double t = static_cast<double>(t_);
  return 4 * stages_[std::min(stage_, stages_.size() - 1)].damping / (t * (t + 1));
}

// x^md = [(1−α)(λ+γ)·x^ag + α((1−α)λ+γ)·x] / (γ + (1−α²)λ)
void Accelerated::begin_step() {
  const double a = alpha(), g = gamma(), whole = g + (1 - a * a) * lambda_;
  query_ = ((1 - a) * (lambda_ + g) / whole) * aggregate_ + (a * ((1 - a) * lambda_ + g) / whole) * x_;
}

void Accelerated::step(const Vector& gradient) {
  const double a = alpha(), g = gamma();
  // x = Π[(αλ·x^md + ((1−α)λ+γ)·x − α·gradient)/(λ+γ)]
  x_ = (a * lambda_ * query_ + ((1 - a) * lambda_ + g) * x_ - a * gradient) / (lambda_ + g);
  if (const double length = (x_ - center_).norm(); length > radius_)
    x_ = center_ + (radius_ / length) * (x_ - center_);
  // No further from the center, as that lies within: so x is in both.
  if (const double length = x_.norm(); length > domain_) x_ *= domain_ / length;
  aggregate_ = a * x_ + (1 - a) * aggregate_;
  if (++t_ > stages_[stage_].steps && stage_ + 1 < stages_.size()) {
    ++stage_;
    t_ = 1;
    x_ = aggregate_;
  }
  begin_step();
}

}  // namespace tacit::inline v1::user_level
