#include "sampler/trial.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "core/numbers.hpp"
#include "noise/lazy_uniform.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

namespace {

// −ln U of a uniform's first word, U in [w, w+1]·2^−64, between two doubles.
struct Between {
  double low = 0, high = 0;
};
Between minus_log(std::uint64_t w) {
  if (w == 0) return {44, std::numeric_limits<double>::infinity()};
  const double x = static_cast<double>(w);
  const double middle =
      w >> 63 ? -std::log1p(-(static_cast<double>(~w) + 0.5) * 0x1p-64) : -std::log((x + 0.5) * 0x1p-64);
  const double error = 0.51 / x + 4 * u + 8 * u * middle + 0x1p-63;
  return {std::fmax(0.0, middle - error), middle + error};
}

// Where the envelope covers the target the acceptance is at most 1, whatever the records are; above 1 the
// accepted draws would have another law than the certificate's. No data leads here unless the proof of the
// envelope, or the arithmetic under it, is wrong.
[[noreturn]] void refuse_uncovered() {
  throw_error<Error>(
      "the exact sampler met an acceptance above 1: its envelope does not cover the target; this is a defect "
      "of tacit, or of the machine; nothing was released");
}

}  // namespace

Trial::Trial(const Setting& setting, std::size_t shell, BitSource& bits)
    : setting_(setting), shell_(shell), z_(static_cast<std::size_t>(setting.target.center.size()), bits) {
  const Envelope& envelope = setting_.envelope;
  const Vector& deviation = envelope.shells.shells[shell_].deviation;
  const Vector v = deviation.cwiseProduct(z_.approximation());
  theta_ = envelope.mode + envelope.transform * v;
  // Rounding of the products, and the digits of z not drawn yet.
  const auto d = static_cast<std::size_t>(theta_.size());
  const double size = envelope.transform.norm() * 1.0001;
  distance_ = 1.01 * (gamma_bound(d + 8) * (envelope.mode.norm() + size * v.norm()) +
                      size * deviation.maxCoeff() * z_.distance());
}

// inner ≤ Σ B_k(deviation_k z_k)² < outer.
bool Trial::in_shell(BitSource& bits) {
  const Shell& shell = setting_.envelope.shells.shells[shell_];
  const Vector& b = setting_.envelope.constants.b;
  const Vector& z = z_.approximation();
  double radius = 0, steepest = 0;
  for (Eigen::Index k = 0; k < z.size(); ++k) {
    const double factor = b[k] * shell.deviation[k] * shell.deviation[k];
    radius += factor * z[k] * z[k];
    steepest = std::fmax(steepest, factor);
  }
  const double moved = z_.distance();
  const double error = 1.01 * (steepest * (2 * z.norm() + moved) * moved +
                               gamma_bound(static_cast<std::size_t>(z.size()) + 8) * radius);
  if (radius - error > shell.inner && radius + error < shell.outer) return true;
  if (radius + error < shell.inner || radius - error > shell.outer) return false;
  return exactly_in_shell(bits);
}

bool Trial::in_ball(BitSource& bits) {
  const Target& target = setting_.target;
  if (std::isinf(target.radius)) return true;
  const double far = (theta_ - target.center).norm();
  const double error =
      1.01 * (distance_ + gamma_bound(static_cast<std::size_t>(theta_.size()) + 8) * (far + theta_.norm()));
  if (far + error < target.radius) return true;
  if (far - error > target.radius) return false;
  return exactly_in_ball(bits);
}

Energy Trial::log_acceptance() const {
  const Target& target = setting_.target;
  const Envelope& envelope = setting_.envelope;
  const Vector& z = z_.approximation();
  const double gamma = gamma_bound(static_cast<std::size_t>(z.size()) + 16);
  const Energy here = energy(target, *setting_.records, theta_, distance_);
  const Energy& before = setting_.at_mode;
  const double half = 0.5 * z.squaredNorm(), moved = z_.distance();
  double room = 0, room_error = 0;
  if (envelope.pull > 0) {
    const double square = target.radius * target.radius,
                 apart = (envelope.mode - target.center).squaredNorm();
    room = 0.5 * envelope.pull * (square - apart);
    room_error = gamma * envelope.pull * (square + 4 * apart + envelope.mode.squaredNorm());
  }
  const double floor = setting_.floors[shell_], weight = setting_.log_weights[shell_];
  // A deviation's logarithm is at most 40.
  const double sizes = std::fabs(floor) + std::fabs(weight) + 40.0 * static_cast<double>(z.size()) + half +
                       std::fabs(here.value) + std::fabs(before.value) + std::fabs(room);
  return {floor + half - (here.value - before.value) - room,
          1.01 * (here.error + before.error + (z.norm() + moved) * moved + room_error) + gamma * sizes};
}

bool Trial::wins(BitSource& bits) {
  std::uint64_t word = 0;
  bits.fill({&word, 1});
  const Between needed = minus_log(word);  // accepted when the log-acceptance is above ln U
  const Energy at = log_acceptance();
  if (at.value - at.error > 0) refuse_uncovered();
  if (at.value - at.error > -needed.low) return true;
  if (at.value + at.error < -needed.high) return false;

  noise::LazyUniform uniform(word);
  for (std::size_t words = 2;; words *= 2) {
    noise::require_sane_bits(words);
    uniform.extend(words, bits);
    const Interval acceptance = exact_log_acceptance(words, bits);
    if (acceptance.lower() > 0) refuse_uncovered();
    const Interval drawn = log(uniform.enclosure(exact_.precision));
    if (drawn < acceptance) return true;
    if (drawn > acceptance) return false;
  }
}

bool Trial::accepted(BitSource& bits) { return in_shell(bits) && in_ball(bits) && wins(bits); }

}  // namespace tacit::inline v1::sampler
