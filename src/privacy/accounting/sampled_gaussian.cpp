#include <algorithm>
#include <cmath>

#include "core/numbers.hpp"
#include "privacy/accounting/loss_law.hpp"
#include "privacy/accounting/normal_mass.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

namespace {

class SampledGaussian final : public LossLaw {
 public:
  SampledGaussian(double sigma, double rate, Direction direction)
      : sigma_(sigma), rate_(rate), sign_(direction == Direction::remove ? 1 : -1) {
    const double edge = rate == 1 ? -infinity : library_down(std::log1p(-rate));
    least = direction == Direction::remove ? edge : -infinity;
    greatest = direction == Direction::remove ? infinity : -edge;
  }

  // ln(1−q+q e^v) with v = (x − 1/2)/σ² is the loss of removing; adding has the opposite loss, and runs
  // through the outcomes the other way round (they are negated).
  double position(double loss) const override {
    if (std::isinf(loss)) return loss;
    return sign_ * outcome(sign_ * loss);
  }

  // The bound on |loss(position(l)) − l| from the roundings in outcome(): dl/dv = q e^v / e^l, and v carries
  // 3u |w|/(1+w) from w = (e^l−1)/q, or 3u y/(1−y) from y = (1−q)/e^l, and 5u|v| + u/σ² from the rest.
  // Doubled twice for room.
  double loss_error(double loss) const override {
    const double l = sign_ * loss, v = (outcome(l) - 0.5) / (sigma_ * sigma_);
    if (std::isinf(v)) return 0;
    const double from_rest = 8 * std::fabs(v) + 8 + 2 / (sigma_ * sigma_);
    if (rate_ == 1) return 4 * unit_roundoff * from_rest;
    const double decay = std::exp(-l), rest = std::fmin(decay * (1 - rate_), 1.0);
    const double slope = std::fmax(1 - rest, 0.0) + 1e-15;  // q e^v / e^l
    return 4 * unit_roundoff * (4 * (std::fabs(l) > 1 ? rest : std::fabs(1 - decay)) + slope * from_rest);
  }

  CellMass mass(double from, double to) const override {
    const Enclosure empty = normal_between(from, to, 0, sigma_);  // the unit is not there, or did not join
    const Enclosure joined = normal_between(from, to, sign_, sigma_);  // (outcomes are negated for `add`)
    constexpr double slack = 8 * unit_roundoff;
    const Enclosure mixture{((1 - rate_) * empty.low + rate_ * joined.low) * (1 - slack),
                            ((1 - rate_) * empty.high + rate_ * joined.high) * (1 + slack)};
    return sign_ > 0 ? CellMass{mixture, empty} : CellMass{empty, mixture};
  }

  std::vector<SketchPoint> sketch() const override {
    std::vector<SketchPoint> points;
    // In standard deviations; the second stretch surrounds the shifted Gaussian where it lies apart.
    const double reach = 40, tilted_reach = 60, shift = sign_ > 0 ? 1 / sigma_ : 0;
    double t = -reach;
    while (t < tilted_reach) points.push_back(point(t)), t += sketch_step;
    for (t = std::fmax(t, shift - reach); t < shift + tilted_reach; t += sketch_step)
      points.push_back(point(t));
    return points;
  }

 private:
  static constexpr double sketch_step = 0.25;  // trapezoid sums of Gaussians are exact to e^{−2π²/step²}

  double outcome(double l) const {
    double v = l;  // as it is for q = 1
    if (rate_ < 1) {
      // e^v = (e^l − (1−q))/q, from the form in which nothing cancels
      const double less_one = std::fabs(l) > 1 ? -(1 - rate_) * std::exp(-l) : std::expm1(l) / rate_;
      v = less_one > -1 ? std::log1p(less_one) : -infinity;
      if (std::fabs(l) > 1) v += l - std::log(rate_);
    }
    return sigma_ * sigma_ * v + 0.5;
  }

  SketchPoint point(double t) const {
    const double x = sign_ * t * sigma_, v = (x - 0.5) / (sigma_ * sigma_);
    const double log_mixture =
        v > 0 ? v + std::log(rate_ + (1 - rate_) * std::exp(-v)) : std::log1p(rate_ * std::expm1(v));
    const double log_normal = -t * t / 2 + std::log(sketch_step / std::sqrt(2 * M_PI));
    const double slope = v > 0 ? rate_ / (rate_ + (1 - rate_) * std::exp(-v))
                               : rate_ * std::exp(v) / (1 + rate_ * std::expm1(v));
    return {.loss = sign_ * log_mixture,
            .log_mass = log_normal + (sign_ > 0 ? log_mixture : 0),
            .spread = slope / sigma_};
  }

  double sigma_, rate_, sign_;
};

}  // namespace

std::unique_ptr<LossLaw> sampled_gaussian(double sigma, double rate, Direction direction) {
  return std::make_unique<SampledGaussian>(sigma, rate, direction);
}

}  // namespace tacit::inline v1::pld
