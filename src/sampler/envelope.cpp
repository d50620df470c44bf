#include "sampler/envelope.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/numbers.hpp"
#include "sampler/moments.hpp"
#include "sampler/softmax_piece.hpp"
#include "solver/certified.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

namespace {

double norm_up(const Matrix& m) {
  return m.norm() * (1 + gamma_bound(static_cast<std::size_t>(m.size()) + 8));
}

// The minimiser of F at one pull, and what is known of F there.
struct Mode {
  double pull = 0, strength = 0;   // κ, ρ + κ (rounded down)
  Vector point;                    // a double vector near the minimiser
  double residual = 0;             // ‖∇F(point)‖ ≤ residual
  std::vector<CurvatureBound> at;  // of each row, at point
  std::vector<double> norms;       // of each row, rounded up
};

// What the proof uses of the records at the mode, row by row.
void bound_curvatures(const Target& target, const std::vector<Piece>& pieces, const RowBlocks& rows,
                      Mode& mode) {
  const double rounding = 1.001 * score_rounding(static_cast<std::size_t>(mode.point.size())),
               norm = norm_up(mode.point);
  const std::size_t group = rows.group();
  const auto* classes = std::get_if<Softmax>(&target.problem->loss);
  const SoftmaxLoss softmax(classes ? classes->classes : 2);
  std::vector<double> z(softmax.outputs()), curvatures(group);
  mode.at.resize(rows.rows());
  mode.norms.resize(rows.rows());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].kind == Piece::Kind::nothing) continue;
    scores(*target.problem, i, mode.point, z);
    const double error = rounding * pieces[i].norm * norm;
    if (!classes) {
      mode.norms[i] = pieces[i].norm;
      mode.at[i] = curvature_bound(pieces[i], z[0], error);
      continue;
    }
    pair_curvatures(softmax, pieces[i], z, error, curvatures);
    for (std::size_t q = 0; q < group; ++q) {
      mode.norms[i * group + q] = 1.4143 * pieces[i].norm;  // ‖V_k − V_l‖ is √2 up to rounding
      mode.at[i * group + q] = {.curvature = curvatures[q], .decay = 1, .tilt = 1};
    }
  }
}

Mode find_mode(const Target& target, const std::vector<Piece>& pieces, const RowBlocks& rows, double pull,
               unsigned threads) {
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
  bound_curvatures(target, pieces, rows, mode);
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
Whitening whiten(const RowBlocks& rows, const Mode& mode, const std::vector<double>& g) {
  const SecondMoment s = second_moment(rows, g, mode.norms);
  const Eigen::Index d = s.value.rows();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(s.value);
  Whitening result;
  const Vector w = solver.eigenvalues().cwiseMax(0).array() + mode.strength;
  result.transform = solver.eigenvectors() * w.cwiseSqrt().cwiseInverse().asDiagonal();
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

// With the records that `keep` names; the others count as having no curvature, which is always true.
Envelope build(const Target& target, const RowBlocks& rows, const Mode& mode, const std::vector<bool>& keep) {
  const std::size_t n = mode.at.size();
  std::vector<double> g(n, 0.0), decay(n, 0.0), tilt(n, 0.0), kink(n, 0.0), tilted_kink(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (!keep[i]) continue;
    const CurvatureBound& at = mode.at[i];
    g[i] = mul_down(target.inverse_temperature, at.curvature);
    decay[i] = g[i] * at.decay;
    if (at.tilt > 0) tilt[i] = mul_up(g[i] * at.decay, mul_up(at.tilt, at.tilt));
    if (at.kink > 0) kink[i] = mul_up(g[i], at.kink);
    if (at.tilted_kink > 0) tilted_kink[i] = mul_up(g[i], at.tilted_kink);
  }
  Envelope best{.pull = mode.pull, .mode = mode.point, .log_cost = infinity};
  const Whitening white = whiten(rows, mode, g);
  if (!(white.k.maxCoeff() < white.quadratic) || !white.transform.allFinite()) return best;
  const FourthMoment decays(rows, white.transform, decay, mode.norms);
  const FourthMoment tilts(rows, white.transform, tilt, mode.norms);
  const FourthMoment kinks(rows, white.transform, kink, mode.norms);
  const FourthMoment tilted_kinks(rows, white.transform, tilted_kink, mode.norms);
  double least = infinity;
  for (const Vector& b : diagonals(white)) {
    // The second bound is a logistic's: for several pairs of classes it is the first, which is above it.
    const double beta = sqrt_up(decays.bound(b));
    const EnvelopeConstants constants{.beta = beta,
                                      .sigma = rows.group() > 1 ? beta : sqrt_up(tilts.bound(b)),
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

// How badly a record bends away from its quadratic at a typical distance: ‖x‖·√(decay + kink).
std::vector<double> influences(const Target& target, const RowBlocks& rows, const Mode& mode) {
  std::vector<double> g(mode.at.size());
  for (std::size_t i = 0; i < g.size(); ++i) g[i] = target.inverse_temperature * mode.at[i].curvature;
  const Matrix transform = whiten(rows, mode, g).transform;
  std::vector<double> result(g.size());
  for (std::size_t begin = 0; begin < rows.rows(); begin += rows.block()) {
    const Matrix x = transform.transpose() * rows(begin);
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      const CurvatureBound& at = mode.at[begin + static_cast<std::size_t>(i)];
      result[begin + static_cast<std::size_t>(i)] =
          at.curvature == 0 ? infinity : x.col(i).norm() * std::sqrt(at.decay + at.kink);
    }
  }
  return result;
}

// The best envelope at one pull, over which records are kept: those of influence up to a threshold. Records
// at a kink or far outliers cost more as curved ones than as flat ones.
Envelope best_at(const Target& target, const std::vector<Piece>& pieces, const RowBlocks& rows, double pull,
                 unsigned threads) {
  const Mode mode = find_mode(target, pieces, rows, pull, threads);
  const std::vector<double> influence = influences(target, rows, mode);
  Envelope best{.shells = {.log_mass = infinity}, .log_cost = infinity};
  std::size_t before = influence.size() + 1;
  int worse = 0;
  for (const double most : {10.0, 3.0, 1.0, 0.3, 0.1, 0.03, -1.0}) {
    if ((worse == 2 && most >= 0) || best.shells.log_mass < good_enough) continue;
    std::vector<bool> keep(influence.size());
    for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = influence[i] <= most;
    const auto kept = static_cast<std::size_t>(std::ranges::count(keep, true));
    if (kept == before || (most < 0 && std::isfinite(best.log_cost))) continue;
    before = kept;
    Envelope envelope = build(target, rows, mode, keep);
    worse = envelope.log_cost < best.log_cost ? 0 : worse + 1;
    if (worse == 0) best = std::move(envelope);
  }
  // The whole constant: e^{−γJ} ≤ e^{−F + κ·radius²/2} on the ball.
  const double at_mode = energy(target, pieces, mode.point, 0, threads).value;
  best.log_cost -= at_mode;
  if (pull > 0)
    best.log_cost +=
        0.5 * pull * (target.radius * target.radius - (mode.point - target.center).squaredNorm());
  return best;
}

// The pull that is best for a Gaussian target with the Hessian at the mode [docs/posterior_exact.md, "The
// pull"].
double gaussian_pull(const Target& target, const std::vector<Piece>& pieces, const RowBlocks& rows,
                     unsigned threads) {
  const Mode mode = find_mode(target, pieces, rows, 0, threads);
  std::vector<double> g(mode.at.size());
  for (std::size_t i = 0; i < g.size(); ++i) g[i] = target.inverse_temperature * mode.at[i].curvature;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(second_moment(rows, g, mode.norms).value);
  const Vector w = solver.eigenvalues().cwiseMax(0).array() + target.strength;
  const Vector offset = solver.eigenvectors().transpose() * (mode.point - target.center);
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

Envelope find_envelope(const Target& target, const std::vector<Piece>& pieces, unsigned threads) {
  const RowBlocks rows(*target.problem);
  if (std::isinf(target.radius)) return best_at(target, pieces, rows, 0, threads);
  double pull = gaussian_pull(target, pieces, rows, threads);
  Envelope best = best_at(target, pieces, rows, pull, threads);
  if (best.shells.log_mass < good_enough) return best;
  // Uphill in steps of two, as long as it saves a twentieth of the trials [heuristic: speed only].
  const double start = pull > 0 ? pull : 0.25 * target.strength;
  for (const double factor : {2.0, 0.5}) {
    for (pull = start * factor;; pull *= factor) {
      Envelope other = best_at(target, pieces, rows, pull, threads);
      if (!(other.log_cost < best.log_cost - 0.05)) break;
      best = std::move(other);
    }
    if (best.pull > start) break;
  }
  // A center so far away that doubles do not know the mode under that pull: less of it, at last none, where
  // the plan's check from public values holds [docs/posterior_exact.md, "The pull"].
  for (pull = start; std::isinf(best.log_cost) && pull > 0;) {
    pull = pull > target.strength ? pull / 16 : 0;
    best = best_at(target, pieces, rows, pull, threads);
  }
  return best;
}

}  // namespace tacit::inline v1::sampler
