#include "solver/extension.hpp"

#include <algorithm>
#include <cmath>

#include "solver/adaptive_subgradient.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// The unit vector of w − y, or 0 where they are so close that squares underflow: a subgradient of ‖w − y‖ up
// to 2^-400.
void direction(const Vector& w, const Vector& y, Vector& s) {
  s = w - y;
  const double square = s.squaredNorm();
  if (square < 0x1p-800)
    s.setZero();
  else
    s /= std::sqrt(square);
}

// The sizes of Proposition 2.9 for Φ, the y's measured by their root mean square: D and L.
struct JointSizes {
  double diameter = 0, lipschitz = 0;
  double rounding =
      0;  // of one subgradient, as an additive error of its inequality: with B, what Φ's oracle is off
  double step_excess = 0;
};

double center_distance(const ExtensionSetting& setting) {
  const auto* ball = std::get_if<Ball>(&setting.domain);
  if (!ball) return LocalDomain(setting.domain).diameter();
  return add_up(mul_up(1 + 0x1p-40, (ball->center - setting.center).norm()), ball->radius);
}

JointSizes joint_sizes(const ExtensionSetting& setting, const LossSizes& sizes, const LocalDomain& local) {
  const double c = setting.lipschitz, a = sizes.lipschitz, lambda = setting.regularisation;
  const double whole = LocalDomain(setting.domain).diameter(), size = largest_norm(setting.domain);
  const double pull = mul_up(lambda, center_distance(setting));
  JointSizes result;
  result.diameter = mul_up(1 + 0x1p-40, std::hypot(local.diameter(), whole));
  // ‖g_w‖ ≤ C + λ‖w − w₀‖, and the root mean square of gᵢ − C·sᵢ is ≤ A + C.
  result.lipschitz = mul_up(1 + 0x1p-20, std::hypot(c + pull, a + c));
  // Each coordinate of g passes through at most m + d + 24 roundings of numbers that add up to the bound.
  const double gamma = gamma_bound(sizes.records + sizes.dimension + 32);
  result.rounding = add_up(sizes.error, mul_up(mul_up(gamma, whole), a + 4 * c + 2 * pull));
  // x − ηg is rounded by ≤ 4u(‖x‖ + η‖g‖), η‖g‖ ≤ D, and lies within 2D of every point of the set.
  const double step = mul_up(4 * unit_roundoff, 2 * size + result.diameter);
  result.step_excess = mul_up(step, 4 * result.diameter + step);
  return result;
}

// What averaging in long double and rounding the average may move w, times Φ's Lipschitz constant.
double average_error(const ExtensionSetting& setting, double lipschitz, double iterations) {
  return lipschitz * largest_norm(setting.domain) * (iterations * 0x1p-62 + 8 * unit_roundoff);
}

LocalDomain local_domain(const ExtensionSetting& setting) {
  return setting.local ? LocalDomain(setting.domain, *setting.local) : LocalDomain(setting.domain);
}

// (w, y₁ … y_m) with Φ's subgradient [Lowy26, (10), App. D.1].
class JointIterate {
 public:
  JointIterate(const ExtensionSetting& setting, const ConvexLossRef& loss, const LocalDomain& local)
      : setting_(setting), loss_(loss), local_(local), whole_(setting.domain), w_(local.some_point()) {
    ys_.assign(loss.records(), w_);
    pulls_.assign(loss.records(), Vector::Zero(w_.size()));
    sum_ = LongVector::Zero(w_.size());
  }

  void average() {
    sum_ += w_.cast<long double>();
    ++count_;
  }
  Vector averaged() const { return (sum_ / static_cast<long double>(count_)).cast<double>(); }

  double subgradient() {
    const auto m = static_cast<double>(ys_.size());
    const double c = setting_.lipschitz;
    w_pull_.setZero(w_.size());
    double squares = 0;
    for (std::size_t i = 0; i < ys_.size(); ++i) {
      direction(w_, ys_[i], s_);
      loss_.subgradient(i, ys_[i], pulls_[i]);
      pulls_[i] -= c * s_;
      w_pull_ += s_;
      squares += pulls_[i].squaredNorm();
    }
    w_pull_ = (c / m) * w_pull_ + setting_.regularisation * (w_ - setting_.center);
    return w_pull_.squaredNorm() + squares / m;
  }

  // In the root-mean-square scale a y moves by η(gᵢ − C·sᵢ): its gradient is 1/m of that, its metric 1/m too.
  double move(double eta) {
    double excess = 0;
    for (std::size_t i = 0; i < ys_.size(); ++i) {
      moved_ = ys_[i] - eta * pulls_[i];
      NearPoint near = whole_.project(moved_);
      ys_[i].swap(near.point);
      excess += near.excess;
    }
    moved_ = w_ - eta * w_pull_;
    NearPoint near = local_.project(moved_);
    w_.swap(near.point);
    return excess / static_cast<double>(ys_.size()) * (1 + 0x1p-20) + near.excess;
  }

 private:
  using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const ExtensionSetting& setting_;
  const ConvexLossRef& loss_;
  const LocalDomain& local_;
  LocalDomain whole_;
  Vector w_, w_pull_, s_, moved_;
  std::vector<Vector> ys_, pulls_;
  LongVector sum_;
  std::uint64_t count_ = 0;
};

// y alone, for one record at a fixed w.
class InnerIterate {
 public:
  InnerIterate(const ConvexLossRef& loss, std::size_t record, const Vector& w, double lipschitz,
               const LocalDomain& domain)
      : loss_(loss),
        record_(record),
        w_(w),
        lipschitz_(lipschitz),
        domain_(domain),
        y_(domain.project(w).point) {
    sum_ = Eigen::Matrix<long double, Eigen::Dynamic, 1>::Zero(w.size());
    g_.setZero(w.size());
  }
  void average() {
    sum_ += y_.cast<long double>();
    ++count_;
  }
  Vector averaged() const { return (sum_ / static_cast<long double>(count_)).cast<double>(); }
  double subgradient() {
    direction(w_, y_, s_);
    loss_.subgradient(record_, y_, g_);
    g_ -= lipschitz_ * s_;
    return g_.squaredNorm();
  }
  double move(double eta) {
    NearPoint near = domain_.project(y_ - eta * g_);
    y_.swap(near.point);
    return near.excess;
  }

 private:
  const ConvexLossRef& loss_;
  std::size_t record_;
  const Vector& w_;
  double lipschitz_;
  const LocalDomain& domain_;
  Vector y_, g_, s_;
  Eigen::Matrix<long double, Eigen::Dynamic, 1> sum_;
  std::uint64_t count_ = 0;
};

}  // namespace

LossSizes sizes_of(const ConvexLossRef& loss) {
  return {loss.records(), loss.dimension(), loss.lipschitz(), loss.error()};
}

IterationBound subgradient_iterations(const ExtensionSetting& setting, const LossSizes& sizes,
                                      double accuracy) {
  const LocalDomain local = local_domain(setting);
  const JointSizes joint = joint_sizes(setting, sizes, local);
  const double ratio = div_up(mul_up(3, mul_up(joint.diameter, joint.lipschitz)), accuracy);
  const double iterations = std::ceil(mul_up(1 + 0x1p-20, mul_up(ratio, ratio)));
  // Proposition C.5 leaves α/4 of its accuracy unused when 3D√S ≤ αT: the oracle's error, the average's and
  // the sums' go there. Projections may cost e_t ≤ αη_t/2, and η_T ≥ D/(L√T).
  const double spare = add_up(joint.rounding, average_error(setting, joint.lipschitz, iterations));
  const double excess =
      add_up(add_up(local.excess_bound(joint.diameter), LocalDomain(setting.domain).excess_bound(0)),
             joint.step_excess);
  const double allowed =
      0.49 * accuracy * joint.diameter / (joint.lipschitz * std::sqrt(std::max(1.0, iterations)));
  if (spare <= 0.2 * accuracy && excess <= allowed) return {iterations, ""};
  return {
      iterations,
      fmt::format(
          "double arithmetic is too coarse for an accuracy of {:.3g}: one subgradient may be off by {:.3g}, "
          "a projection by {:.3g} where {:.3g} is allowed",
          accuracy, spare, excess, allowed)};
}

Accurate minimise_extension(const ExtensionSetting& setting, const ConvexLossRef& loss, double accuracy) {
  const LocalDomain local = local_domain(setting);
  const JointSizes joint = joint_sizes(setting, sizes_of(loss), local);
  JointIterate x(setting, loss, local);
  const SubgradientRun run = adaptive_subgradient(x, joint.diameter, accuracy);
  // Each step's rounding adds step_excess/(2η_t), and 1/η_t ≤ √S_T/D ≤ αT/(3D²) up to the last step.
  const auto count = static_cast<double>(run.iterations);
  const double steps =
      joint.step_excess * accuracy * count / (6 * joint.diameter * joint.diameter) * (1 + 1e-6);
  const double gap = add_up(add_up(run.regret, steps),
                            add_up(joint.rounding, average_error(setting, joint.lipschitz, count)));
  return {x.averaged(), gap, run.iterations};
}

ExtensionValue extension_value(const ConvexLossRef& loss, std::size_t record, const Vector& w,
                               double lipschitz, const Domain& domain, double accuracy) {
  const LocalDomain inside(domain);
  InnerIterate y(loss, record, w, lipschitz, inside);
  const SubgradientRun run = adaptive_subgradient(y, inside.diameter(), accuracy);
  const Vector at = y.averaged();
  const double upper = loss.value(record, at) + lipschitz * (w - at).norm();
  const double size =
      (loss.lipschitz() + lipschitz) * (inside.diameter() + w.norm() + at.norm()) + std::fabs(upper);
  const double rounding = loss.error() + gamma_bound(loss.dimension() + 64) * size;
  return {upper - run.regret - 2 * rounding, upper + rounding};
}

}  // namespace tacit::inline v1
