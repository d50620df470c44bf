#include <span>

#include "noise/lazy_uniform.hpp"
#include "sampler/trial.hpp"

// A trial in ball arithmetic: what decides where doubles cannot.

namespace tacit::inline v1::sampler {

namespace {

using noise::Ball;

Ball square_sum(std::span<const Ball> x, slong precision) {
  Ball sum;
  for (const Ball& one : x) arb_addmul(sum.get(), one.get(), one.get(), precision);
  return sum;
}

}  // namespace

const Trial::Exact& Trial::exact(std::size_t words, BitSource& bits) {
  if (words == exact_words_) return exact_;
  undecided_ = true;
  exact_words_ = words;
  const Envelope& envelope = setting_.envelope;
  const Vector& deviation = envelope.shells.shells[shell_].deviation;
  exact_.precision = noise::precision_for(words, setting_.pieces.size()) + 64;
  exact_.z = z_.enclosures(words, bits);
  exact_.theta.clear();
  std::vector<Ball> v = exact_.z;
  for (std::size_t k = 0; k < v.size(); ++k) {
    const Ball scale(deviation[static_cast<Eigen::Index>(k)]);
    arb_mul(v[k].get(), v[k].get(), scale.get(), exact_.precision);
  }
  for (Eigen::Index j = 0; j < theta_.size(); ++j) {
    Ball sum(envelope.mode[j]);
    for (std::size_t k = 0; k < v.size(); ++k) {
      const Ball factor(envelope.transform(j, static_cast<Eigen::Index>(k)));
      arb_addmul(sum.get(), factor.get(), v[k].get(), exact_.precision);
    }
    exact_.theta.push_back(std::move(sum));
  }
  return exact_;
}

bool Trial::exactly_in_shell(BitSource& bits) {
  const Shell& shell = setting_.envelope.shells.shells[shell_];
  const Vector& b = setting_.envelope.constants.b;
  for (std::size_t words = 2;; words *= 2) {
    noise::require_sane_bits(words);
    const Exact& at = exact(words, bits);
    Ball sum;
    for (std::size_t k = 0; k < at.z.size(); ++k) {
      const auto j = static_cast<Eigen::Index>(k);
      Ball term(shell.deviation[j]);
      const Ball factor(b[j]);
      arb_mul(term.get(), term.get(), at.z[k].get(), at.precision);
      arb_mul(term.get(), term.get(), term.get(), at.precision);
      arb_addmul(sum.get(), term.get(), factor.get(), at.precision);
    }
    // The innermost shell has no inner edge: the sum is ≥ 0, though its ball may reach below.
    const Ball inner(shell.inner), outer(shell.outer);
    const bool above = shell.inner == 0 || arb_gt(sum.get(), inner.get());
    if (above && arb_lt(sum.get(), outer.get())) return true;
    if ((shell.inner > 0 && arb_lt(sum.get(), inner.get())) || arb_gt(sum.get(), outer.get())) return false;
  }
}

bool Trial::exactly_in_ball(BitSource& bits) {
  const Target& target = setting_.target;
  for (std::size_t words = 2;; words *= 2) {
    noise::require_sane_bits(words);
    const Exact& at = exact(words, bits);
    std::vector<Ball> apart = at.theta;
    for (std::size_t k = 0; k < apart.size(); ++k) {
      const Ball center(target.center[static_cast<Eigen::Index>(k)]);
      arb_sub(apart[k].get(), apart[k].get(), center.get(), at.precision);
    }
    const Ball sum = square_sum(apart, at.precision);
    Ball most(target.radius);
    arb_mul(most.get(), most.get(), most.get(), at.precision);
    if (arb_lt(sum.get(), most.get())) return true;
    if (arb_gt(sum.get(), most.get())) return false;
  }
}

// γΣ(φᵢ − φᵢ(0)) + (ρ/2)‖θ‖².
Ball Trial::exact_energy(const std::vector<Ball>& theta, slong precision) const {
  const Target& target = setting_.target;
  const std::size_t columns = target.problem->data->features.columns();
  Ball sum, score;
  for (std::size_t i = 0; i < setting_.pieces.size(); ++i) {
    if (setting_.pieces[i].kind == Piece::Kind::nothing) continue;
    const RowView row = target.problem->data->features.row(i);
    arb_zero(score.get());
    for (std::size_t k = 0; k < row.size; ++k) {
      const Ball value(row.values[k]);
      arb_addmul(score.get(), value.get(), theta[row.columns ? row.columns[k] : k].get(), precision);
    }
    if (target.problem->intercept != 0) {
      const Ball value(target.problem->intercept);
      arb_addmul(score.get(), value.get(), theta[columns].get(), precision);
    }
    arb_add(sum.get(), sum.get(), rise(setting_.pieces[i], score, precision).get(), precision);
  }
  const Ball gamma(target.inverse_temperature), half_strength(target.strength / 2);
  arb_mul(sum.get(), sum.get(), gamma.get(), precision);
  arb_addmul(sum.get(), half_strength.get(), square_sum(theta, precision).get(), precision);
  return sum;
}

// floor + ½‖z‖² − (energy(θ*) − energy(mode)) − ½κ(radius² − ‖mode − center‖²), where
// floor = ln ∏deviation − log_weight.
Ball Trial::exact_log_acceptance(std::size_t words, BitSource& bits) {
  const Exact& at = exact(words, bits);
  const Target& target = setting_.target;
  const Envelope& envelope = setting_.envelope;
  const slong precision = at.precision;
  Ball product(1.0);
  for (const double deviation : envelope.shells.shells[shell_].deviation) {
    const Ball factor(deviation);
    arb_mul(product.get(), product.get(), factor.get(), precision);
  }
  Ball result;
  arb_log(result.get(), product.get(), precision);
  const Ball weight(setting_.log_weights[shell_]);
  arb_sub(result.get(), result.get(), weight.get(), precision);
  Ball half = square_sum(at.z, precision);
  arb_mul_2exp_si(half.get(), half.get(), -1);
  arb_add(result.get(), result.get(), half.get(), precision);

  std::vector<Ball> mode, apart;
  for (Eigen::Index j = 0; j < envelope.mode.size(); ++j) {
    mode.emplace_back(envelope.mode[j]);
    apart.emplace_back(envelope.mode[j]);
    const Ball center(target.center[j]);
    arb_sub(apart.back().get(), apart.back().get(), center.get(), precision);
  }
  arb_sub(result.get(), result.get(), exact_energy(at.theta, precision).get(), precision);
  arb_add(result.get(), result.get(), exact_energy(mode, precision).get(), precision);
  if (envelope.pull > 0) {
    Ball room(target.radius);
    arb_mul(room.get(), room.get(), room.get(), precision);
    arb_sub(room.get(), room.get(), square_sum(apart, precision).get(), precision);
    const Ball half_pull(envelope.pull / 2);
    arb_submul(result.get(), room.get(), half_pull.get(), precision);
  }
  return result;
}

Vector Trial::rounded(double grid, BitSource& bits) {
  Vector result(theta_.size());
  const bool before = undecided_;
  for (Eigen::Index j = 0; j < result.size(); ++j)
    result[j] = noise::round_to_grid(
        [&](std::size_t words) { return exact(words + 1, bits).theta[static_cast<std::size_t>(j)]; }, grid);
  undecided_ = before;
  return result;
}

}  // namespace tacit::inline v1::sampler
