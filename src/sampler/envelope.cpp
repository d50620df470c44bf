#include "sampler/envelope.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/numbers.hpp"
#include "core/symmetric.hpp"
#include "sampler/moments.hpp"
#include "solver/certified.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

namespace {

// The minimiser of F at one pull, and what is known of F there.
struct Mode {
  double pull = 0, strength = 0;  // κ, ρ + κ (rounded down)
  Vector point;                   // a double vector near the minimiser
  double residual = 0;            // ‖∇F(point)‖ ≤ residual
};

// What is asked of the records from here on is about this mode.
Mode find_mode(const Target& target, RecordSums& records, double pull, unsigned threads) {
  const double gamma = target.inverse_temperature;
  Mode mode{.pull = pull, .strength = add_down(target.strength, pull)};
  // F/γ = Σφ + ½((ρ+κ)/γ)‖θ‖² − (κ/γ)⟨center,θ⟩ + constant.
  const Eigen::Index d = target.center.size();
  const double strength = mode.strength / gamma;
  const Vector tilt = -(pull / gamma) * target.center;
  LimitedObjective objective(*target.problem, target.limits,
                             {.strength = strength, .center = Vector::Zero(d)}, tilt, 0, threads);
  mode.point = minimise(objective, {}).point;
  Vector gradient;
  objective.gradient(mode.point, gradient, nullptr);
  const double norm = norm_up(mode.point);
  // Its own error, the tilt's, and the roundings of (ρ+κ)/γ and κ/γ.
  const double error = objective.gradient_error().at(norm) +
                       16 * unit_roundoff * (strength * norm + tilt.norm() + gradient.norm());
  mode.residual = 1.001 * gamma * (norm_up(gradient) + error);
  records.bound_curvatures(mode.point);
  return mode;
}

// Coordinates in which ∇²F is nearly the identity, with certified bounds:
// (1−δ)·P + K ⪰ quadratic·I and K ⪯ diag(k), P the public part and K the records' part of the Hessian.
struct Whitening {
  Matrix transform;
  Vector k;
  double quadratic = 0, constant = 0;
  double log_volume = 0;  // ln |det transform|
};

// V of S = Σ g aaᵀ, scaled: T = V·diag(1/√(strength + eigenvalue)); the public part is isotropic, so this
// diagonalises both.
Whitening whiten(RecordSums& records, const Mode& mode) {
  const SecondMoment s = second_moment(records);
  const Eigen::Index d = s.value.rows();
  const SymmetricEigen eigen = symmetric_eigen(s.value);
  Whitening result;
  const Vector w = eigen.values.cwiseMax(0).array() + mode.strength;
  result.transform = eigen.vectors * w.cwiseSqrt().cwiseInverse().asDiagonal();
  result.log_volume = -0.5 * w.array().log().sum();

  const Matrix& t = result.transform;
  const Matrix hessian = s.value + mode.strength * Matrix::Identity(d, d);
  const Matrix whole = t.transpose() * (hessian * t), data = t.transpose() * (s.value * t);
  const double gamma = gamma_bound(2 * static_cast<std::size_t>(d) + 8);
  const double square = std::pow(norm_up(t), 2);
  const double rounding = 1.01 * square * (s.error + 2 * gamma * norm_up(hessian));
  const double off_identity = 1.01 * norm_up(whole - Matrix::Identity(d, d)) + rounding;
  const double off_diagonal = 1.01 * norm_up(data - Matrix(data.diagonal().asDiagonal())) + rounding;
  result.k = data.diagonal().array().max(0.0) + off_diagonal;
  // The mode's residual r is a linear term: |⟨r,θ−mode⟩| ≤ ½δ + ½δ·strength·‖θ−mode‖² with δ = ‖r‖/√strength.
  const double delta = 1.001 * mode.residual / std::sqrt(mode.strength);
  result.quadratic = (1 - delta) * (1 - off_identity) * (1 - 8 * unit_roundoff);
  result.constant = -0.501 * delta;
  return result;
}

// Diagonals B with K ⪯ B < quadratic·I to try.
std::vector<Vector> diagonals(const Whitening& white) {
  // Between what must be left to the tail and a floor that keeps the rounding bounds small.
  const Vector most = 0.5 * (white.k.array() + white.quadratic);
  std::vector<Vector> result;
  for (const double power : {1.0, 0.7, 0.4})
    for (const double floor : {0.01, 0.1, 0.5}) {
      Vector b = white.k.cwiseMax(0).cwiseMin(1).array().pow(power).max(floor);
      b = b.cwiseMin(most).cwiseMax(white.k);
      if (std::ranges::find(result, b) == result.end()) result.push_back(b);
    }
  return result;
}

// With the rows that are kept.
Envelope build(RecordSums& records, const Mode& mode) {
  Envelope best{.pull = mode.pull, .mode = mode.point, .log_cost = infinity};
  const Whitening white = whiten(records, mode);
  if (!(white.k.maxCoeff() < white.quadratic) || !white.transform.allFinite()) return best;
  const FourthMoment decays(records, Weight::decay, white.transform);
  const FourthMoment tilts(records, Weight::tilt, white.transform);
  const FourthMoment kinks(records, Weight::kink, white.transform);
  const FourthMoment tilted_kinks(records, Weight::tilted_kink, white.transform);
  double least = infinity;
  for (const Vector& b : diagonals(white)) {
    // The second bound is a logistic's: for several pairs of classes it is the first, which is above it.
    const double beta = sqrt_up(decays.bound(b));
    const EnvelopeConstants constants{.beta = beta,
                                      .sigma = records.group() > 1 ? beta : sqrt_up(tilts.bound(b)),
                                      .kink = sqrt_up(kinks.bound(b)),
                                      .tilted_kink = sqrt_up(tilted_kinks.bound(b)),
                                      .quadratic = white.quadratic,
                                      .constant = white.constant,
                                      .b = b};
    if (!(constants.beta < infinity && constants.sigma < infinity && constants.kink < infinity)) continue;
    Shells shells = make_shells(constants);
    if (!(shells.log_mass < least)) continue;
    least = shells.log_mass;
    best.constants = constants;
    best.shells = std::move(shells);
  }
  if (std::isinf(least)) return best;
  best.transform = white.transform;
  best.log_cost = least + white.log_volume;
  return best;
}

// An envelope within a factor of two of the Gaussian at the mode needs no further search [heuristic: speed
// only].
constexpr double good_enough = 0.7;

// The best envelope at one pull, over which records are kept: those of influence up to a threshold. Records
// at a kink or far outliers cost more as curved ones than as flat ones.
Envelope best_at(const Target& target, RecordSums& records, double pull, unsigned threads) {
  const Mode mode = find_mode(target, records, pull, threads);
  records.measure_influences(whiten(records, mode).transform);
  Envelope best{.shells = {.log_mass = infinity}, .log_cost = infinity};
  std::optional<std::size_t> before;
  int worse = 0;
  for (const double most : {10.0, 3.0, 1.0, 0.3, 0.1, 0.03, -1.0}) {
    if ((worse == 2 && most >= 0) || best.shells.log_mass < good_enough) continue;
    const std::size_t kept = records.keep(most);
    if (kept == before || (most < 0 && std::isfinite(best.log_cost))) continue;
    before = kept;
    Envelope envelope = build(records, mode);
    worse = envelope.log_cost < best.log_cost ? 0 : worse + 1;
    if (worse == 0) best = std::move(envelope);
  }
  // The whole constant: e^{−γJ} ≤ e^{−F + κ·radius²/2} on the ball.
  const double at_mode = energy(target, records, mode.point, 0).value;
  best.log_cost -= at_mode;
  if (pull > 0)
    best.log_cost +=
        0.5 * pull * (target.radius * target.radius - (mode.point - target.center).squaredNorm());
  return best;
}

// The pull that is best for a Gaussian target with the Hessian at the mode [docs/posterior_exact.md, "The
// pull"].
double gaussian_pull(const Target& target, RecordSums& records, unsigned threads) {
  const Mode mode = find_mode(target, records, 0, threads);
  const SymmetricEigen eigen = symmetric_eigen(second_moment(records).value);
  const Vector w = eigen.values.cwiseMax(0).array() + target.strength;
  const Vector offset = eigen.vectors.transpose() * (mode.point - target.center);
  double best = 0, least = 0;
  for (double pull = 1e-3 * w.minCoeff(); pull < 1e6 * w.maxCoeff(); pull *= 1.3) {
    const Vector ratio = (w.array() / (w.array() + pull)).matrix();
    const double cost = 0.5 * ratio.array().log().sum() -
                        0.5 * pull * (ratio.array() * offset.array().square()).sum() +
                        0.5 * pull * target.radius * target.radius;
    if (cost < least) {
      least = cost;
      best = pull;
    }
  }
  return best;
}

}  // namespace

Envelope find_envelope(const Target& target, RecordSums& records, unsigned threads) {
  if (std::isinf(target.radius)) return best_at(target, records, 0, threads);
  double pull = gaussian_pull(target, records, threads);
  Envelope best = best_at(target, records, pull, threads);
  if (best.shells.log_mass < good_enough) return best;
  // Uphill in steps of two, as long as it saves a twentieth of the trials [heuristic: speed only].
  const double start = pull > 0 ? pull : 0.25 * target.strength;
  for (const double factor : {2.0, 0.5}) {
    for (pull = start * factor;; pull *= factor) {
      Envelope other = best_at(target, records, pull, threads);
      if (!(other.log_cost < best.log_cost - 0.05)) break;
      best = std::move(other);
    }
    if (best.pull > start) break;
  }
  // A center so far away that doubles do not know the mode under that pull: less of it, at last none, where
  // the plan's check from public values holds [docs/posterior_exact.md, "The pull"].
  for (pull = start; std::isinf(best.log_cost) && pull > 0;) {
    pull = pull > target.strength ? pull / 16 : 0;
    best = best_at(target, records, pull, threads);
  }
  return best;
}

}  // namespace tacit::inline v1::sampler
