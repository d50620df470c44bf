#include "solver/constrained.hpp"

#include <algorithm>
#include <cmath>

#include "domain/local.hpp"

namespace tacit::inline v1 {

namespace {

// Public sizes of a run. Notation: L = 2Q + λ, eta: the step of the residual, D/(Lipschitz constant), so that
// x = w − eta·g lies within D of W.
struct Sizes {
  LocalDomain set;
  double diameter, size, eta;
  double vector;      // of a gradient, the rounding of x included
  double projection;  // how far a computed projection may be from the exact one

  explicit Sizes(const ConstrainedSetting& setting)
      : set(setting.domain),
        diameter(set.diameter()),
        size(largest_norm(setting.domain)),
        eta(diameter / setting.lipschitz),
        projection(set.projection_error()) {
    const double rounded = mul_up(8 * unit_roundoff, add_up(size, diameter));
    vector = add_up(setting.error.vector, div_up(rounded, eta));
  }
};

// λr² ≤ (ρ + e)r + cut:  r ≤ (ρ + e)/λ + √(cut/λ)
double distance_of(const ConstrainedSetting& setting, const Sizes& sizes, double residual, double cut) {
  return add_up(div_up(add_up(residual, sizes.vector), setting.strength),
                sqrt_up(div_up(cut, setting.strength)));
}

// One step of projected gradients, of length 1/L, brings a distance r to at most √(q²r² + c) + ω.
struct Contraction {
  double square, add, shift;
  double operator()(double r) const {
    return add_up(sqrt_up(add_up(mul_up(square, mul_up(r, r)), add)), shift);
  }
};
Contraction contraction_of(const ConstrainedSetting& setting, const Sizes& sizes) {
  const double lambda = setting.strength, l = 2 * setting.curvature + lambda;
  const double rounded = mul_up(8 * unit_roundoff, add_up(sizes.size, div_up(setting.lipschitz, l)));
  return {.square = std::min(1.0, div_up(sub_up(l, lambda), add_down(l, lambda))),
          .add = div_up(mul_up(4, setting.error.cut), add_down(l, lambda)),
          .shift = add_up(add_up(sizes.projection, rounded), div_up(setting.error.vector, l))};
}
// A little more than its fixed point: ω(L+λ)/λ + √(2·cut/λ).
double limit_of(const ConstrainedSetting& setting, const Contraction& step) {
  const double lambda = setting.strength, l = 2 * setting.curvature + lambda;
  return 1.001 * (step.shift * (l + lambda) / lambda + std::sqrt(2 * setting.error.cut / lambda));
}

// What a residual's cut may be: that of gradients, or what a computed projection leaves of it, 2·error·L and
// as much again, with room for the products.
double checked_cut(const ConstrainedSetting& setting, const Sizes& sizes) {
  const double projected = 4 * sizes.projection + 64 * unit_roundoff * sizes.size;
  return std::max(setting.error.cut, projected * setting.lipschitz);
}

// The residual at w: with x = w − eta·g and p = Π_W(x), ⟨g, w − u⟩ ≤ ρ‖w − u‖ + cut for every u of W. ‖x − p‖
// is at most D (a little more, by the gradient's error), so that ⟨x − p, u − p⟩ ≤ 1.01·excess.
struct Residual {
  double length = 0, cut = 0;
};
Residual residual_of(const Sizes& sizes, const Vector& w, const Vector& g) {
  const Vector x = w - sizes.eta * g;
  const NearPoint near = sizes.set.project(x);
  const Vector left = w - near.point, normal = x - near.point;
  const double slack = 1 + gamma_bound(static_cast<std::size_t>(w.size()) + 8);
  const double moved = left.norm() * slack, far = normal.norm() * slack;
  const double turned = std::max(0.0, -normal.dot(left)) + (slack - 1) * moved * far;
  return {div_up(mul_up(moved, slack), sizes.eta),
          div_up(mul_up(slack, add_up(turned, mul_up(1.01, near.excess))), sizes.eta)};
}

// FISTA with restarts. Convexity turns ⟨g(w⁺) − g(y), w⁺ − y⟩ ≤ (l/2)‖w⁺ − y‖² into the descent that a step
// of 1/l needs, without values of F.
class Accelerated {
 public:
  Accelerated(const ConstrainedSetting& setting, const Sizes& sizes, const ConstrainedOracle& oracle,
              Vector start)
      : setting_(setting), sizes_(sizes), oracle_(oracle), w_(std::move(start)), y_(w_) {
    l_ = setting.lipschitz / sizes.diameter;
  }

  // Until the residual obeys both, or `passes` are used up; whether it does.
  bool run(double residual, double cut, double curvature, int passes) {
    const double most = 2 * curvature + setting_.strength;
    y_ = w_, momentum_ = 1;
    oracle_.gradient(y_, g_);
    for (passes_ += 1, passes -= 1; passes > 0;) {
      l_ = std::max(setting_.strength, 0.9 * std::min(l_, most));
      for (;;) {
        next_ = sizes_.set.project(y_ - g_ / l_).point;
        oracle_.gradient(next_, next_g_);
        ++passes_, --passes;
        const Vector step = next_ - y_;
        if (l_ >= most || passes <= 0 || (next_g_ - g_).dot(step) <= 0.5 * l_ * step.squaredNorm()) break;
        l_ = std::min(most, 2 * l_);
      }
      const Residual left = residual_of(sizes_, next_, next_g_);
      if (left.length <= residual && left.cut <= cut) {
        w_ = next_;
        return true;
      }
      advance();
      passes -= extrapolated_;
    }
    return false;
  }
  const Vector& point() const { return w_; }
  int passes() const { return passes_; }

 private:
  void advance() {
    const Vector move = next_ - w_;
    const bool overshoots = (y_ - next_).dot(move) > 0;
    w_ = next_;
    extrapolated_ = 0;
    if (overshoots) {
      momentum_ = 1;
      y_ = w_, g_ = next_g_;
      return;
    }
    const double after = 0.5 * (1 + std::sqrt(1 + 4 * momentum_ * momentum_));
    y_ = sizes_.set.project(w_ + (momentum_ - 1) / after * move).point;
    momentum_ = after;
    oracle_.gradient(y_, g_);
    ++passes_, extrapolated_ = 1;
  }

  const ConstrainedSetting& setting_;
  const Sizes& sizes_;
  const ConstrainedOracle& oracle_;
  Vector w_, y_, g_, next_, next_g_;
  double l_ = 1, momentum_ = 1;
  int passes_ = 0, extrapolated_ = 0;
};

}  // namespace

namespace {

double solver_distance_of(const ConstrainedSetting& setting, const Sizes& sizes) {
  const double checked =
      distance_of(setting, sizes, setting.residual, add_up(setting.error.cut, checked_cut(setting, sizes)));
  return std::max(checked, limit_of(setting, contraction_of(setting, sizes)));
}

// ‖w* − w₀‖ ≤ C/λ: λ‖w* − w₀‖² ≤ ⟨g, w₀ − w*⟩ for a g of norm ≤ C.
double center_distance(const ConstrainedSetting& setting) { return div_up(setting.pull, setting.strength); }

}  // namespace

namespace {

// With the penalty's sizes counted.
ConstrainedSetting whole(ConstrainedSetting setting) {
  setting.pull = add_up(setting.pull, setting.penalty.lipschitz());
  setting.lipschitz = add_up(setting.lipschitz, setting.penalty.lipschitz());
  setting.curvature = add_up(setting.curvature, setting.penalty.smoothness());
  setting.error.vector = add_up(setting.error.vector, mul_up(1.01, setting.penalty.error()));
  return setting;
}

}  // namespace

double constrained_distance(const ConstrainedSetting& given) {
  const ConstrainedSetting setting = whole(given);
  return std::min(solver_distance_of(setting, Sizes(setting)), center_distance(setting));
}

Constrained minimise_constrained(const ConstrainedSetting& given, const ConstrainedOracle& part,
                                 const Vector& center, const ConstrainedOptions& options) {
  const ConstrainedSetting setting = whole(given);
  const ConstrainedOracle oracle{.gradient =
                                     [&](const Vector& w, Vector& g) {
                                       part.gradient(w, g);
                                       setting.penalty.add_gradient(w, g);
                                     },
                                 .round_off = part.round_off};
  const Sizes sizes(setting);
  if (center_distance(setting) <= solver_distance_of(setting, sizes)) return {center, 0, false};
  const double cut = checked_cut(setting, sizes);
  Accelerated fast(setting, sizes, oracle, center);
  bool reached = false;
  if (options.passes > 0) {
    if (oracle.round_off) {
      for (double q = 0x1p-18 * given.curvature; q < 0.1 * given.curvature; q *= 16) {
        oracle.round_off(q);
        const double rough = 0.01 * setting.lipschitz * std::sqrt(setting.strength / (q + setting.strength));
        fast.run(std::max(setting.residual, rough), setting.lipschitz * sizes.diameter,
                 q + setting.penalty.smoothness(), 2000);
      }
      oracle.round_off(given.curvature);
    }
    reached = fast.run(setting.residual, cut, setting.curvature, options.passes);
  }
  Vector w = fast.point(), g;
  int passes = fast.passes();
  if (reached) return {std::move(w), passes, false};

  const Contraction step = contraction_of(setting, sizes);
  const double limit = limit_of(setting, step), l = 2 * setting.curvature + setting.strength;
  for (double distance = sizes.diameter; distance > limit; distance = std::min(distance, step(distance))) {
    oracle.gradient(w, g);
    w = sizes.set.project(w - g / l).point;
    ++passes;
  }
  return {std::move(w), passes, true};
}

}  // namespace tacit::inline v1
