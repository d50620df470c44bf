#include <algorithm>
#include <array>
#include <cmath>

#include "core/bisect.hpp"
#include "core/numbers.hpp"
#include "privacy/accounting/loss_law.hpp"
#include "privacy/accounting/normal_mass.hpp"
#include "tacit/core.hpp"

// P(L > l) <= far P(N(c,mu²) > l) + near P(N(c',mu'²) > l), mu' = mu/√2, c = jacobian + mu²/2
// [docs/gaussian_objective.md]. The law here has the right side as its tail, from the loss on where that is
// 1: the sum of the normal laws above it. One far corner alone, of a record that is there or not, has a tail
// below 1 where its loss is 0: the rest of the mass lies at the loss `jacobian`, as the corner 0 has no
// other. All centers and deviations are rounded up, which raises the tail.

namespace tacit::inline v1::pld {

namespace {

struct Corner {
  double count, deviation, center;
};

Corner corner(std::uint64_t count, double mu, double jacobian) {
  return {static_cast<double>(count), mu, add_up(jacobian, mul_up(mu, mu) / 2)};
}

class GaussianObjective final : public LossLaw {
 public:
  explicit GaussianObjective(const GaussianObjectiveEvent& e)
      : corners_{corner(e.far, e.mu, e.jacobian), corner(e.near, div_up(e.mu, sqrt_down(2.0)), e.jacobian)} {
    greatest = infinity;
    // The tail at the least loss is 1 or a little more: more mass is safe.
    constexpr double room = 1e-9;
    const auto below_one = [&](double loss) { return tail(loss) < 1 + room; };
    if (below_one(e.jacobian)) {
      least = e.jacobian;
      const double rest = 1 - tail(least);
      atoms.push_back({least, {std::fmax(rest - room, 0), std::fmax(rest, 0) + room}});
      return;
    }
    double high = corners_[0].center + corners_[0].deviation;
    for (double reach = 1; !below_one(high); reach *= 2)
      high = corners_[0].center + reach * corners_[0].deviation;
    least = bisect(e.jacobian, high, 1e-12, below_one).last_false;
  }

  // The outcome is the loss itself.
  double position(double loss) const override { return std::fmax(loss, least); }
  double loss_error(double) const override { return 0; }

  CellMass mass(double from, double to) const override {
    from = std::fmax(from, least);
    CellMass sum;
    if (!(from < to)) return sum;
    for (const Corner& c : corners_) {
      if (c.count == 0) continue;
      const Enclosure p = normal_between(from, to, c.center, c.deviation), q = q_mass(c, from, to);
      sum.p = {sum.p.low + c.count * p.low, sum.p.high + c.count * p.high};
      sum.q = {sum.q.low + c.count * q.low, sum.q.high + c.count * q.high};
    }
    constexpr double slack = 8 * unit_roundoff;
    for (Enclosure* e : {&sum.p, &sum.q}) *e = {e->low * (1 - slack), e->high * (1 + slack)};
    return sum;
  }

  std::vector<SketchPoint> sketch() const override {
    constexpr double reach = 40, tilted_reach = 60, step = 0.25;
    std::vector<SketchPoint> points;
    for (const Atom& atom : atoms) points.push_back({atom.loss, std::log(atom.mass.high), 0});
    for (const Corner& c : corners_)
      for (double t = -reach; t < tilted_reach && c.count > 0; t += step)
        if (const double loss = c.center + t * c.deviation; loss > least)
          points.push_back({loss, std::log(c.count * step / std::sqrt(2 * M_PI)) - t * t / 2, c.deviation});
    std::ranges::sort(points, {}, &SketchPoint::loss);
    return points;
  }

 private:
  double tail(double loss) const {
    double sum = 0;
    for (const Corner& c : corners_) sum += c.count * phi((c.center - loss) / c.deviation).value;
    return sum;
  }

  // ∫ e^{−l} dN(c,m²) = e^{m²/2−c} N(c−m²,m²). Both the factor's exponent and the center are rounded, by at
  // most 4u(|c|+m²); a shift of the center by s changes the mass of a cell by at most a factor e^{s t/m}, t
  // the farthest that the cell lies from it in deviations.
  static Enclosure q_mass(const Corner& c, double from, double to) {
    const double m = c.deviation, center = c.center - m * m;
    const double shift = 4 * unit_roundoff * (std::fabs(c.center) + m * m);
    const double farthest = std::fmax(std::fabs(from - center), std::fabs(to - center)) / m;
    const double slack = 2 * (shift * (farthest + 1) / m + shift) + 32 * unit_roundoff;
    const double factor = std::exp(m * m / 2 - c.center);
    const Enclosure mass = normal_between(from, to, center, m);
    if (!(slack < 0.5)) return {0, infinity};  // only a looser bound: all of the cell counts at its top
    return {mass.low * factor * (1 - slack), mass.high * factor * (1 + slack)};
  }

  std::array<Corner, 2> corners_;
};

}  // namespace

std::unique_ptr<LossLaw> gaussian_objective(const GaussianObjectiveEvent& event) {
  return std::make_unique<GaussianObjective>(event);
}

}  // namespace tacit::inline v1::pld
