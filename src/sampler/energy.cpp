#include "sampler/envelope.hpp"

namespace tacit::inline v1::sampler {

double score_rounding(std::size_t features) { return gamma_bound(features + 8); }

Energy energy(const Target& target, RecordSums& records, const Vector& theta, double distance) {
  const RiseSums total = records.rises(theta);
  const double norm = theta.norm() * (1 + 1e-12), gamma = target.inverse_temperature;
  const double depth = gamma_bound(records.rise_depth());
  // A record's slope in θ is at most C, whatever it holds: a score's rounding and the distance to the true
  // point move it by at most C·(rounding·‖θ‖ + distance).
  const double moved = static_cast<double>(records.records()) * target.limits.slope *
                       (score_rounding(static_cast<std::size_t>(theta.size())) * norm + distance);
  const double square = theta.squaredNorm();
  const double quadratic =
      target.strength *
      (gamma_bound(static_cast<std::size_t>(theta.size()) + 8) * square + (norm + distance) * distance);
  const double value = gamma * total.sum + 0.5 * target.strength * square;
  return {value, 1.01 * (gamma * (total.error + depth * total.size + moved) + quadratic) +
                     4 * unit_roundoff * (gamma * total.size + target.strength * square)};
}

}  // namespace tacit::inline v1::sampler
