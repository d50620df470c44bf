// f_C(w) = max over s in [low, high] of h_s(w),  h_s(w) = min over y in W of s·t(y) + C‖w − y‖,
// because f(y) = max over s of s·t(y) and both sets are compact and convex. For |s| ≤ C the best y is w. For
// a steeper s it lies on the path y_κ = Π_W(w − κ·s·normal), where ‖w − y_κ‖ = C·κ; with N = (w − κv − y_κ)/κ
// in the normal cone of W at y_κ and g = v + N = (w − y_κ)/κ,
//   h_s(u) ≥ s·offset + ⟨g, u⟩ − max over W of ⟨N, ·⟩ = s·offset + ⟨v, y_κ⟩ + ⟨g, u − y_κ⟩   whenever ‖g‖ ≤
//   C,
// and the gap to the value at y_κ is ‖w − y_κ‖·(C − ‖g‖). ‖w − y_κ‖/κ falls with κ: bisection.

#include <algorithm>
#include <cmath>

#include "solver/structured.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr double relative_tolerance = 0x1p-36;
// The shortest path parameter, in units of D/C: dividing a projection's error by less would drown the gap.
constexpr double shortest_path = 0x1p-22;
constexpr int most_halvings = 60;

double size_of(const Domain& domain, const Projector& onto) {
  if (std::holds_alternative<Ball>(domain) || std::holds_alternative<Box>(domain))
    return largest_norm(domain);
  const double diameter = onto.diameter();
  if (!std::isfinite(diameter)) throw_error<UsageError>("the domain is unbounded, expected a compact one");
  return add_up(diameter, 2 * LocalDomain(domain).some_point().norm());
}

// The record with t ≥ 0 at w: f does not change when t and the slopes change their signs together.
PolyhedralRecord facing(const PolyhedralRecord& record, const Vector& w) {
  if (record.distance(w) >= 0) return record;
  return {-record.normal, -record.offset, -record.high, -record.low};
}

}  // namespace

// A minorant of h_s with the y that belongs to it.
struct StructuredOracle::Steep {
  double slope = 0;  // s
  Vector y, g;
  double lower = 0;  // at w
};

StructuredOracle::StructuredOracle(const Domain& domain, double lipschitz)
    : domain_(domain),
      onto_(domain),
      lipschitz_(lipschitz),
      diameter_(onto_.diameter()),
      size_(size_of(domain, onto_)) {
  if (!(lipschitz > 0 && std::isfinite(lipschitz)))
    throw_error<UsageError>("the Lipschitz constant is {}, expected a finite number > 0", lipschitz);
}

double StructuredOracle::tolerance(const PolyhedralRecord& record) const {
  const double steepest = std::max(std::fabs(record.low), std::fabs(record.high));
  return relative_tolerance * (steepest + lipschitz_) * diameter_;
}

StructuredOracle::Steep StructuredOracle::steep(const PolyhedralRecord& record, double slope,
                                                const Vector& w) const {
  const Vector v = slope * record.normal;
  const double least = shortest_path * diameter_ / lipschitz_, stop = tolerance(record);
  double low = 0, high = (1 + 0x1p-20) * diameter_ / lipschitz_;
  Steep best{.slope = slope};
  const auto consider = [&](double kappa) {
    const Vector x = w - kappa * v;
    const Projection y = onto_(x);
    const double moved = (w - y.point).norm() * (1 + gamma_bound(static_cast<std::size_t>(w.size()) + 8));
    if (moved > lipschitz_ * kappa) return false;  // ‖g‖ > C
    best.y = y.point;
    best.g = (w - y.point) / kappa;
    // An inexact projection's N is normal up to δ(D + ‖x − y‖)/κ.
    const double normal_error = y.distance * (diameter_ + (x - y.point).norm()) / kappa;
    best.lower = slope * record.offset + v.dot(y.point) + best.g.dot(w - y.point) - normal_error;
    high = kappa;
    return true;
  };
  consider(high);
  for (int k = 0; k < most_halvings && high > least; ++k) {
    const double moved = (w - best.y).norm();
    if (moved * (lipschitz_ - moved / high) <= stop) break;
    const double middle = std::max(least, 0.5 * (low + high));
    if (!consider(middle)) low = middle;
    if (low >= least && high - low <= 0x1p-50 * high) break;
  }
  return best;
}

// t ≥ 0 at left.y, t < 0 at right.y: the best slope is between theirs.
Cut StructuredOracle::between(const PolyhedralRecord& record, Steep left, Steep right,
                              const Vector& w) const {
  const auto share = [&] {
    const double t0 = record.distance(left.y), t1 = record.distance(right.y);
    return t0 > t1 ? std::clamp(-t1 / (t0 - t1), 0.0, 1.0) : 1.0;
  };
  for (int k = 0; k < most_halvings; ++k) {
    if ((right.slope - left.slope) * share() * record.distance(left.y) <= tolerance(record)) break;
    Steep middle = steep(record, 0.5 * (left.slope + right.slope), w);
    (record.distance(middle.y) >= 0 ? left : right) = std::move(middle);
  }
  const double theta = share();
  const Vector y = theta * left.y + (1 - theta) * right.y;
  return finished(record, {.lower = theta * left.lower + (1 - theta) * right.lower,
                           .upper = record.value(y) + lipschitz_ * (w - y).norm(),
                           .slope = theta * left.g + (1 - theta) * right.g});
}

// Widens the bracket by what evaluating it may round.
Cut StructuredOracle::finished(const PolyhedralRecord& record, Cut cut) const {
  const double steepest = std::max(std::fabs(record.low), std::fabs(record.high));
  const double rounding = gamma_bound(static_cast<std::size_t>(record.normal.size()) + 32) * 8 *
                          (steepest + lipschitz_) * (size_ + diameter_ + std::fabs(record.offset));
  cut.lower -= rounding;
  cut.upper = std::max(cut.upper, cut.lower + rounding) + rounding;
  return cut;
}

Cut StructuredOracle::cut(const PolyhedralRecord& given, const Vector& w) const {
  const PolyhedralRecord record = facing(given, w);
  const double t = record.distance(w), c = lipschitz_;
  const auto of = [&](const Steep& at) {
    return finished(record, {at.lower, record.value(at.y) + c * (w - at.y).norm(), at.g});
  };
  // The loss obeys C on this side: y = w.
  if (std::fabs(record.high) <= c)
    return finished(record, {record.high * t, record.high * t, record.high * record.normal});
  const bool kink_in_reach = record.high > c && record.low <= c;
  const Steep flat{.slope = c, .y = w, .g = c * record.normal, .lower = c * t};
  if (kink_in_reach) {
    // Straight to the kink, if that is in W.
    const double square = record.normal.squaredNorm();
    const Vector y = onto_(w - (t / square) * record.normal).point;
    const double upper = record.value(y) + c * (w - y).norm();
    if (upper - flat.lower <= tolerance(record)) return finished(record, {flat.lower, upper, flat.g});
  }
  const Steep steepest = steep(record, record.high, w);
  if (record.high < 0 || record.distance(steepest.y) >= 0) return of(steepest);
  if (kink_in_reach) return between(record, flat, steepest, w);
  const Steep gentlest = steep(record, record.low, w);
  return record.distance(gentlest.y) < 0 ? of(gentlest) : between(record, gentlest, steepest, w);
}

double StructuredOracle::gap_bound(double gradient_bound, std::size_t dimension) const {
  const double slopes = add_up(gradient_bound, lipschitz_), size = largest_norm(domain_);
  const double error = std::holds_alternative<Box>(domain_)
                           ? 0.0
                           : (16 * static_cast<double>(dimension) + 128) * unit_roundoff * size;
  // A path cut short: C·‖w − y‖ ≤ C²κ. Its projection's error, divided by κ, on slopes ≤ A + C ≤ slopes.
  const double path = lipschitz_ * shortest_path * diameter_;
  const double normal = error * (4 * diameter_ + slopes / lipschitz_ * diameter_ * shortest_path) *
                        lipschitz_ / (shortest_path * diameter_);
  const double rounding = gamma_bound(dimension + 32) * 64 * slopes * (6 * size + diameter_);
  return 1.01 * (path + 2 * normal + 4 * relative_tolerance * slopes * diameter_ + rounding);
}

}  // namespace tacit::inline v1
