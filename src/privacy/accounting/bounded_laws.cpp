#include <algorithm>
#include <cmath>

#include "privacy/accounting/loss_law.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

namespace {

Enclosure around(double value, double ulps = 8) {
  return {value * (1 - ulps * unit_roundoff), value * (1 + ulps * unit_roundoff)};
}

// Atoms, and between −eps and eps the P-density height · e^{(l − eps)/2}; the outcome is the loss itself.
class BoundedLaw final : public LossLaw {
 public:
  BoundedLaw(double epsilon, double height, std::vector<Atom> points, double failure)
      : epsilon_(epsilon), height_(height) {
    least = -epsilon;
    greatest = epsilon;
    atoms = std::move(points);
    infinite = {failure, failure};
    continuous = height > 0;
  }

  double position(double loss) const override { return std::clamp(loss, -epsilon_, epsilon_); }
  double loss_error(double) const override { return 0; }

  CellMass mass(double from, double to) const override {
    from = std::fmax(from, -epsilon_);
    to = std::fmin(to, epsilon_);
    if (height_ == 0 || !(from < to)) return {};
    // P: ∫ height e^{(l−eps)/2} dl, Q: ∫ height e^{−(l+eps)/2} dl. The exponents carry at most 2u·eps.
    const double width = to - from, ulps = 32 + 8 * epsilon_;
    // Factors of at most 1 beside the height: none overflows where losses are large, and 0·∞ would be no mass
    // at all.
    const double part = -std::expm1(-width / 2);
    const double p = 2 * height_ * std::exp((to - epsilon_) / 2) * part;
    const double q = 2 * height_ * std::exp(-(from + epsilon_) / 2) * part;
    return {around(p, ulps), around(q, ulps)};
  }

  std::vector<SketchPoint> sketch() const override {
    std::vector<SketchPoint> points;
    for (const Atom& atom : atoms) points.push_back({atom.loss, std::log(atom.mass.high), 0});
    constexpr int cells = 128;
    for (int k = 0; continuous && k < cells; ++k) {
      const double width = 2 * epsilon_ / cells, l = -epsilon_ + (k + 0.5) * width;
      points.push_back({l, std::log(height_ * width) + (l - epsilon_) / 2, epsilon_});
    }
    std::ranges::sort(points, {}, &SketchPoint::loss);
    return points;
  }

 private:
  double epsilon_, height_;
};

}  // namespace

// P(L = eps) = 1/2, P(L = −eps) = e^{−eps}/2, and between them P-density e^{(l−eps)/2}/4.
std::unique_ptr<LossLaw> laplace(double epsilon) {
  return std::make_unique<BoundedLaw>(
      epsilon, 0.25, std::vector<Atom>{{-epsilon, around(std::exp(-epsilon) / 2)}, {epsilon, {0.5, 0.5}}}, 0);
}

std::unique_ptr<LossLaw> randomised_response(double epsilon, double delta) {
  const double odds = std::exp(-epsilon), rest = 1 - delta;
  std::vector<Atom> atoms{{epsilon, around(rest / (1 + odds))}};
  if (epsilon == 0)
    atoms[0].mass = around(rest);
  else
    atoms.push_back({-epsilon, around(rest * odds / (1 + odds))});
  return std::make_unique<BoundedLaw>(epsilon, 0, std::move(atoms), delta);
}

std::unique_ptr<LossLaw> failure_beside(double delta) {
  return std::make_unique<BoundedLaw>(0, 0, std::vector<Atom>{{0, {1, 1}}}, delta);
}

// F(z) = (e^{eps/2} − e^{z/2})² / (e^eps − 1) on [−eps, eps].
std::unique_ptr<LossLaw> bounded_range(double epsilon) {
  return std::make_unique<BoundedLaw>(epsilon, -0.5 / std::expm1(-epsilon), std::vector<Atom>{}, 0);
}

}  // namespace tacit::inline v1::pld
