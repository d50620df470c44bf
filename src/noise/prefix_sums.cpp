#include "noise/prefix_sums.hpp"

#include <bit>
#include <cmath>

#include "noise/mechanism.hpp"
#include "noise/samplers.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::noise {

namespace {

std::vector<double> root_factor(std::size_t count) {
  std::vector<double> f(count, 1.0);
  for (std::size_t k = 1; k < count; ++k) f[k] = f[k - 1] * (1 - 0.5 / static_cast<double>(k));
  return f;
}

// Increments are rounded to multiples of this before they are summed: a power of two so coarse that sums of
// `steps` of them are exact in double, and so fine that it hardly matters.
double increment_grid(double range, std::size_t steps) {
  return lattice_for(range * static_cast<double>(steps) * 0x1p-30, 0).grid;  // ≥ range·steps·2⁻⁵⁰
}

double squared_sum(const std::vector<double>& f) {
  double sum = 0;
  for (const double x : f) sum += x * x;
  return sum;
}

}  // namespace

double prefix_norm_squared(PrefixKind kind, std::size_t steps) {
  if (kind == PrefixKind::tree) return static_cast<double>(std::bit_width(steps));  // ⌊log₂ steps⌋ + 1
  return squared_sum(root_factor(steps));
}

double prefix_variance(PrefixKind kind, std::size_t t) {
  if (kind == PrefixKind::tree) return static_cast<double>(std::popcount(t));
  return squared_sum(root_factor(t));
}

double prefix_total_variance(PrefixKind kind, std::size_t steps) {
  double total = 0;
  if (kind == PrefixKind::square_root) {
    // Of Σ_t Σ_{k≤t} f_{t−k} z_k: z_k counts Σ_{j≤steps−k} f_j times.
    double times = 0;
    for (const double f : root_factor(steps)) {
      times += f;
      total += times * times;
    }
    return total;
  }
  // A node of 2^l leaves that ends at an odd multiple of 2^l is part of the 2^l sums from there on.
  for (std::size_t size = 1; size <= steps; size *= 2)
    for (std::size_t end = size; end <= steps; end += 2 * size) {
      const double times = static_cast<double>(std::min(size, steps - end + 1));
      total += times * times;
    }
  return total;
}

Step PrefixSums::plan(PrefixKind kind, std::size_t steps, std::size_t dimension, const Sensitivity& increment,
                      double sigma, double range) {
  if (steps == 0 || steps > (std::size_t{1} << 20))
    throw_error<UsageError>("the number of prefix sums is {}, expected 1 to 2^20", steps);
  if (!(range > 0 && std::isfinite(range)))
    throw_error<UsageError>("the increments' range is {}, expected a finite number > 0", range);
  // What is released is a vector with one block per node or per y; one increment x moves it by at most
  // ‖column‖₂·‖x − x'‖, and rounding x to its grid adds g√d.
  const double column = mul_up(sqrt_up(prefix_norm_squared(kind, steps)), 1 + gamma_bound(4 * steps + 8));
  const double rounding = mul_up(increment_grid(range, steps), sqrt_up(static_cast<double>(dimension)));
  Sensitivity whole = increment;
  whole.value = mul_up(column, increment.value);
  whole.slack = mul_up(column, add_up(increment.slack, rounding));
  if (kind == PrefixKind::square_root) {
    // Each y is a float sum of at most `steps` terms f·x, |x| ≤ range, Σf ≤ 2√steps; twice its error, over
    // all blocks and coordinates.
    const double terms = 2 * sqrt_up(static_cast<double>(steps)) * range;
    const double error = mul_up(gamma_bound(steps + 2), terms);
    whole.slack = add_up(whole.slack, mul_up(2 * error, sqrt_up(static_cast<double>(steps * dimension))));
  }
  whole.reason = increment.reason + "; one increment is seen in several releases";
  const double sum_range = range * static_cast<double>(steps);
  Step step = plan_gaussian(whole, sigma, sum_range, dimension);
  step.mechanism = kind == PrefixKind::tree ? "prefix-sums-tree" : "prefix-sums-square-root";
  step.dimension = dimension * steps;
  return step;
}

PrefixSums::PrefixSums(PrefixKind kind, std::size_t steps, std::size_t dimension,
                       const Sensitivity& increment, double sigma, double range, Meter& meter)
    : kind_(kind),
      steps_(steps),
      dimension_(dimension),
      step_(plan(kind, steps, dimension, increment, sigma, range)),
      increment_total_(increment.total()),
      range_(range),
      increment_grid_(increment_grid(range, steps)),
      meter_(&meter) {
  if (kind == PrefixKind::square_root) factor_ = root_factor(steps);
  meter.charge(step_);
}

Released<Vector> PrefixSums::add(const Sensitive<Vector>& increment) {
  if (taken_ == steps_) throw_error<UsageError>("all {} prefix sums have been released", steps_);
  require_same_terms(increment, *meter_);
  const Vector& opened = Mechanism::open(increment);
  if (static_cast<std::size_t>(opened.size()) != dimension_)
    throw_error<UsageError>("an increment of dimension {} was added, expected {}", opened.size(), dimension_);
  require_l2(increment.sensitivity(), dimension_);
  if (!(checked_total(increment.sensitivity()) <= increment_total_))
    throw_error<UsageError>("an increment of sensitivity {} was added, but {} was paid for",
                            increment.sensitivity().total(), increment_total_);
  Mechanism::show(*meter_, step_, {opened.data(), static_cast<std::size_t>(opened.size())});
  Vector x = opened;
  for (double& v : x) {
    v = v > -range_ ? std::min(v, range_) : -range_;  // NaN: −range
    v = std::nearbyint(v / increment_grid_) * increment_grid_;
  }
  ++taken_;
  return Mechanism::release(kind_ == PrefixKind::tree ? add_to_tree(x) : add_to_root(x));
}

Vector PrefixSums::noisy(const Vector& x, double range) {
  Vector out(x.size());
  const auto size = static_cast<std::size_t>(x.size());
  add_gaussian({x.data(), size}, step_.scale, Lattice{step_.grid, range}, meter_->bits(), {out.data(), size});
  return out;
}

// Level l holds nodes of 2^l increments. Increment t closes the nodes of levels 0 … (trailing zeros of t);
// the largest of them is released and stands for all it covers, so that the sum needs popcount(t) nodes.
Vector PrefixSums::add_to_tree(const Vector& x) {
  const auto level = static_cast<std::size_t>(std::countr_zero(taken_));
  if (exact_.size() <= level) {
    exact_.resize(level + 1);
    released_.resize(level + 1);
  }
  Vector node = x;
  for (std::size_t l = 0; l < level; ++l) node += exact_[l];  // the left siblings
  exact_[level] = node;
  released_[level] = noisy(node, range_ * static_cast<double>(steps_));
  Vector sum = Vector::Zero(x.size());
  for (std::size_t l = 0; l < released_.size(); ++l)
    if ((taken_ >> l) & 1) sum += released_[l];
  return sum;
}

Vector PrefixSums::add_to_root(const Vector& x) {
  exact_.push_back(x);
  Vector y = Vector::Zero(x.size());
  for (std::size_t k = 0; k < taken_; ++k) y += factor_[taken_ - 1 - k] * exact_[k];
  released_.push_back(noisy(y, range_ * static_cast<double>(steps_)));
  Vector sum = Vector::Zero(x.size());
  for (std::size_t k = 0; k < taken_; ++k) sum += factor_[taken_ - 1 - k] * released_[k];
  return sum;
}

}  // namespace tacit::inline v1::noise
