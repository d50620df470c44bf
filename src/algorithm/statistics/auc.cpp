#include "algorithm/statistics/auc.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/bisect.hpp"

namespace tacit::inline v1::statistics {

namespace {

// The second and the fourth moment of the noise of one count. On a grid that of a Laplace law is not larger.
struct Moments {
  double second = 0, fourth = 0;
};

Moments moments_of(const Step& step) {
  const double s2 = step.scale * step.scale;
  if (step.mechanism == "gaussian") return {s2, 3 * s2 * s2};
  if (step.mechanism != "geometric") return {2 * s2, 24 * s2 * s2};
  const double p = std::exp(-1 / step.scale), q = -std::expm1(-1 / step.scale);
  return {2 * p / (q * q), 2 * p * (1 + 10 * p + p * p) / (q * q * q * q)};
}

// (E uᵢ⁴)^(1/4) of u = M·noise, for each row.
Vector row_norms(const Matrix& m, const Moments& noise) {
  const double excess = noise.fourth - 3 * noise.second * noise.second;
  Vector norms(m.rows());
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    const double square = m.row(i).squaredNorm();
    norms[i] = std::pow(
        3 * noise.second * noise.second * square * square + excess * m.row(i).array().square().square().sum(),
        0.25);
  }
  return norms;
}

// r with P(eᵀ·M·e′ > r) ≤ failure for two independent vectors of noise, each rounded to the grid: by the
// fourth moment, of which half belongs to each sign, and a hundredth of the failure for the rounding.
double reach_of_product(const Step& step, const Matrix& m, double failure) {
  const Moments noise = moments_of(step);
  const double second = noise.second, excess = noise.fourth - 3 * second * second;
  const Matrix squares = m.array().square();
  const double all = squares.sum();
  const double fourth =
      3 * second * second *
          (second * second * (all * all + 2 * (m * m.transpose()).squaredNorm()) +
           excess * squares.colwise().sum().squaredNorm()) +
      excess * (3 * second * second * squares.rowwise().sum().squaredNorm() + excess * squares.squaredNorm());
  const double reaches = std::pow(fourth / (2 * 0.99 * failure), 0.25);
  if (step.mechanism == "geometric") return reaches;  // whole numbers: nothing is rounded
  const double half = step.grid / 2;
  const double rounded = half * (row_norms(m, noise).sum() + row_norms(m.transpose(), noise).sum() +
                                 half * m.array().abs().sum());
  return reaches + rounded / std::pow(0.01 * failure, 0.25);
}

double reach_of_product_with(const Step& step, const Vector& weights, double failure) {
  std::vector<Coefficients> sum;
  for (const double w : weights) sum.push_back({std::fabs(w), 1});
  return reach_of_sum(step, sum, failure);
}

// With a and b the true counts of the two classes by cell, aᵀ·M·b is how many pairs are in order, where M is
// 1 above the diagonal, and 0 (the fewest) or 1 (the most) on it. Noisy counts a + e and b + e′ give, for M
// less t,
//   (a + e)ᵀM(b + e′) − aᵀMb = eᵀM(b + e′) + (a + e)ᵀMe′ − eᵀMe′,
// in which e is independent of the known b + e′, and e′ of the known a + e.
class PairTest {
 public:
  PairTest(const Answer& counts, double failure) : step_(counts.step), failure_(failure) {
    const Eigen::Index cells = counts.value.size() / 2;
    first_ = counts.value(Eigen::seqN(0, cells, 2));
    second_ = counts.value(Eigen::seqN(1, cells, 2));
  }

  // Whether more pairs, or fewer, than the share t are ruled out.
  bool is_below(double t) const { return excess(t, 1) + reaches(t, 1) < 0; }
  bool is_above(double t) const { return excess(t, 0) - reaches(t, 0) > 0; }

 private:
  Matrix pairs(double t, double tied) const {
    const Eigen::Index cells = first_.size();
    Matrix m = Matrix::Constant(cells, cells, -t);
    for (Eigen::Index j = 0; j < cells; ++j) {
      m(j, j) += tied;
      for (Eigen::Index k = j + 1; k < cells; ++k) m(j, k) += 1;
    }
    return m;
  }
  double excess(double t, double tied) const { return first_.dot(pairs(t, tied) * second_); }
  double reaches(double t, double tied) const {
    const Matrix m = pairs(t, tied);
    return reach_of_product_with(step_, m * second_, 0.4 * failure_) +
           reach_of_product_with(step_, m.transpose() * first_, 0.4 * failure_) +
           reach_of_product(step_, m, 0.2 * failure_);
  }

  Step step_;
  double failure_;
  Vector first_, second_;
};

// Each t is tested by itself, and the true one fails a test of one side with half of the failure. What a side
// rules out is convex in t: if it holds the end of [0, 1], it is all beyond one point.
Interval auc_interval(const Answer& counts, double failure) {
  const PairTest test(counts, failure / 2);
  constexpr double tolerance = 1e-6;
  Interval found{0, 1};
  // Over [1, 2], where a relative tolerance is an absolute one.
  if (test.is_below(1))
    found.high = bisect(1, 2, tolerance, [&](double u) { return test.is_below(u - 1); }).first_true - 1;
  if (test.is_above(0))
    found.low = 2 - bisect(1, 2, tolerance, [&](double u) { return test.is_above(2 - u); }).first_true;
  return found;
}

}  // namespace

double auc_of(const std::vector<double>& counts) {
  double below = 0, first = 0, second = 0, won = 0;
  for (std::size_t k = 0; k + 1 < counts.size(); k += 2) {
    won += counts[k + 1] * (below + counts[k] / 2);
    below += counts[k];
    first += counts[k];
    second += counts[k + 1];
  }
  return first > 0 && second > 0 ? won / (first * second) : 0.5;
}

std::vector<double> possible_counts(const Vector& noisy, std::optional<double> total) {
  std::vector<double> sorted(noisy.begin(), noisy.end()), counts;
  const double sum = total.value_or(std::max(noisy.sum(), 0.0));
  std::ranges::sort(sorted, std::greater<>());
  // All lose the same, and what falls below 0 becomes 0: the projection onto the simplex.
  double above = 0, less = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    above += sorted[k];
    const double loss = (above - sum) / static_cast<double>(k + 1);
    if (k == 0 || sorted[k] > loss) less = loss;
  }
  for (const double c : noisy) counts.push_back(std::max(c - less, 0.0));
  return counts;
}

Estimate auc_estimate(const Answer& counts, const std::vector<double>& estimated, double failure) {
  const double found = auc_of(estimated);
  if (counts.step.mechanism.empty()) return {found, {0, 1}};  // a plan, without noise
  const Interval interval = auc_interval(counts, failure);
  if (!(interval.low <= interval.high)) return {found, {0, 1}};
  return {std::clamp(found, interval.low, interval.high), interval};
}

}  // namespace tacit::inline v1::statistics
