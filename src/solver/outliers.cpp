#include "solver/outliers.hpp"

#include <algorithm>
#include <atomic>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "core/widest.hpp"
#include "solver/clip_factor.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// Bounds the relative error of a computed distance, twice over: a squared difference passes through 2
// rounded operations and at most d additions, none of them cancelling; the thresholds are rounded too.
double distance_error(std::size_t dimension) { return mul_up(2, gamma_bound(dimension + 16)); }

// Compares distances with τ and with 2τ(1 + 4η), so that two points that are close to a third one are surely
// near each other [docs/outliers.md, "In floating point"].
class Distances {
 public:
  Distances(std::size_t dimension, double tau) {
    if (!(tau >= 0x1p-300 && tau <= 0x1p300))
      throw_error<UsageError>("tau is {}, expected between {:.1e} and {:.1e}", tau, 0x1p-300, 0x1p300);
    int exponent = 0;
    const double t = std::frexp(tau, &exponent);  // τ = t·2^exponent: scaling by it is exact
    unit_ = std::ldexp(1.0, -exponent);
    const double reach = mul_up(2 * t, add_up(1, mul_up(4, distance_error(dimension))));
    close_ = t * t;
    near_ = mul_up(reach, reach);
  }

  double close() const { return close_; }
  double near() const { return near_; }
  // In units of τ up to a power of two.
  double unit() const { return unit_; }

 private:
  double unit_ = 1, close_ = 0, near_ = 0;
};

// Points that have a say: finite, and no longer than the bound.
std::vector<char> sane_points(const Points& points, double bound) {
  const auto dimension = static_cast<std::size_t>(points.cols());
  std::vector<char> sane(static_cast<std::size_t>(points.rows()));
  for (std::size_t j = 0; j < sane.size(); ++j)
    sane[j] = norm_up({points.row(static_cast<Eigen::Index>(j)).data(), dimension}) <= bound;
  return sane;
}

// Points in blocks, coordinate by coordinate, in a unit: a block's distances from a point are worked out side
// by side. Each is the sum of squared differences in the order of the coordinates, whichever of the two
// points is in the block. Points without a say are NaN, which is near nothing; so is what fills up the last
// block.
constexpr std::size_t width = 16;
class Blocks {
 public:
  Blocks(const Points& points, const std::vector<char>& sane, double unit)
      : dimension_(static_cast<std::size_t>(points.cols())),
        count_((sane.size() + width - 1) / width),
        values_(count_ * dimension_ * width, std::numeric_limits<double>::quiet_NaN()) {
    for (std::size_t k = 0; k < sane.size(); ++k)
      for (std::size_t c = 0; c < dimension_ && sane[k]; ++c)
        values_[(k / width * dimension_ + c) * width + k % width] =
            points(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c)) * unit;
  }

  std::size_t count() const { return count_; }
  std::size_t dimension() const { return dimension_; }
  // The block's points, one coordinate of all of them after the other.
  const double* block(std::size_t number) const { return &values_[number * dimension_ * width]; }
  // The coordinates of one point, `width` apart.
  const double* point(std::size_t k) const { return block(k / width) + k % width; }

 private:
  std::size_t dimension_, count_;
  std::vector<double> values_;
};

// squared[lane] = ‖x_j − x_k‖² for k = number·width + lane.
inline __attribute__((always_inline)) void distances_to(const Blocks& blocks, std::size_t j,
                                                        std::size_t number, double* squared) {
  const double *x = blocks.point(j), *y = blocks.block(number);
  double sums[width] = {};
  for (std::size_t c = 0; c < blocks.dimension(); ++c, x += width, y += width)
    for (std::size_t lane = 0; lane < width; ++lane) {
      const double gap = *x - y[lane];
      sums[lane] += gap * gap;
    }
  std::copy_n(sums, width, squared);
}

// Whole numbers add up the same in any order.
struct Counts {
  std::int64_t close = 0;
  std::vector<std::int64_t> near;
};

// The pairs of j and of those after it.
TACIT_WIDEST void count_pairs(const Blocks& blocks, std::size_t j, double close, double near, Counts& own) {
  std::int64_t closer = 0, nearer = 0;
  std::size_t first = j % width + 1;
  for (std::size_t number = j / width; number < blocks.count(); ++number, first = 0) {
    double squared[width];
    distances_to(blocks, j, number, squared);
    for (std::size_t lane = 0; lane < first; ++lane) squared[lane] = std::numeric_limits<double>::infinity();
    std::int64_t* theirs = &own.near[number * width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::int64_t is_near = squared[lane] <= near ? 1 : 0;
      closer += squared[lane] <= close ? 1 : 0;
      nearer += is_near;
      theirs[lane] += is_near;
    }
  }
  own.close += 2 * closer;
  own.near[j] += nearer;
}

// The same at many τ: for each pair, how many of the ascending squares are below it.
TACIT_WIDEST void rank_pairs(const Blocks& blocks, std::size_t j, std::span<const double> squares,
                             std::vector<std::int64_t>& own) {
  std::size_t first = j % width + 1;
  for (std::size_t number = j / width; number < blocks.count(); ++number, first = 0) {
    double squared[width];
    distances_to(blocks, j, number, squared);
    for (std::size_t lane = first; lane < width; ++lane)
      if (squared[lane] <= squares.back())
        ++own[static_cast<std::size_t>(std::ranges::lower_bound(squares, squared[lane]) - squares.begin())];
  }
}

// count(j, state) for every sane point, with a state for each worker.
template <class State, class Count>
void for_each_point(const std::vector<char>& sane, unsigned threads, std::vector<State>& states,
                    Count count) {
  std::atomic<std::size_t> next = 0;
  parallel_parts(states.size(), threads, [&](std::size_t, std::size_t, unsigned worker) {
    for (std::size_t j = next++; j < sane.size(); j = next++)
      if (sane[j]) count(j, states[worker]);
  });
}

std::size_t workers(unsigned threads) { return threads == 0 ? default_threads() : threads; }

// C·p_j: a whole number, 0 … C.
std::int64_t scaled_weight(std::int64_t neighbours, std::int64_t points) {
  const std::int64_t odd = points % 2 == 0 ? 0 : 3;
  return std::clamp<std::int64_t>(6 * neighbours - odd - 3 * points, 0, points);
}

}  // namespace

Inliers inliers(const Points& points, double tau, double bound, unsigned threads) {
  const auto count = static_cast<std::size_t>(points.rows()),
             dimension = static_cast<std::size_t>(points.cols());
  if (count == 0) throw_error<UsageError>("no points, expected at least 1");
  const Distances distances(dimension, tau);
  const std::vector<char> sane = sane_points(points, bound);

  const Blocks blocks(points, sane, distances.unit());
  std::vector<Counts> counts(workers(threads), Counts{0, std::vector<std::int64_t>(blocks.count() * width)});
  for_each_point(sane, threads, counts, [&](std::size_t j, Counts& own) {
    count_pairs(blocks, j, distances.close(), distances.near(), own);
  });
  std::int64_t close_pairs = static_cast<std::int64_t>(count);
  std::vector<std::int64_t> neighbours(count, 1);
  for (const Counts& own : counts) {
    close_pairs += own.close;
    for (std::size_t j = 0; j < count; ++j) neighbours[j] += own.near[j];
  }

  Inliers result{.close_pairs = static_cast<double>(close_pairs)};
  std::int64_t total = 0;
  Vector sum = Vector::Zero(static_cast<Eigen::Index>(dimension));
  for (std::size_t j = 0; j < count; ++j) {
    const std::int64_t weight = sane[j] ? scaled_weight(neighbours[j], static_cast<std::int64_t>(count)) : 0;
    if (weight == 0) continue;
    total += weight;
    sum += static_cast<double>(weight) * points.row(static_cast<Eigen::Index>(j)).transpose();
  }
  result.weight = static_cast<double>(total) / static_cast<double>(count);
  if (total > 0) result.mean = sum / static_cast<double>(total);
  return result;
}

std::vector<double> close_pairs_within(const Points& points, std::span<const double> taus, double bound,
                                       unsigned threads) {
  if (taus.empty()) throw_error<UsageError>("no tau to count pairs within, expected at least 1");
  const auto dimension = static_cast<std::size_t>(points.cols());
  const Distances distances(dimension, taus.back());
  std::vector<double> squares;
  for (const double tau : taus) squares.push_back((tau * distances.unit()) * (tau * distances.unit()));

  const std::vector<char> sane = sane_points(points, bound);
  const Blocks blocks(points, sane, distances.unit());
  using Ranks = std::vector<std::int64_t>;
  std::vector<Ranks> counts(workers(threads), Ranks(taus.size()));
  for_each_point(sane, threads, counts,
                 [&](std::size_t j, Ranks& own) { rank_pairs(blocks, j, squares, own); });
  std::vector<double> within;
  std::int64_t pairs = points.rows();
  for (std::size_t k = 0; k < taus.size(); ++k) {
    for (const Ranks& own : counts) pairs += 2 * own[k];
    within.push_back(static_cast<double>(pairs));
  }
  return within;
}

void zero_beyond(Points& points, double bound) {
  const std::vector<char> sane = sane_points(points, bound);
  for (std::size_t j = 0; j < sane.size(); ++j)
    if (!sane[j]) points.row(static_cast<Eigen::Index>(j)).setZero();
}

Sensitivity close_pairs_sensitivity(std::size_t points) {
  return {.value = 2 * static_cast<double>(points - 1),
          .slack = 0,
          .norm = Norm::l1,
          .reason = "a replaced point is in 2(C-1) ordered pairs with others; whole numbers, so no slack"};
}

Sensitivity inlier_mean_sensitivity(std::size_t points, std::size_t dimension, double tau, double bound,
                                    double least_close_pairs) {
  const double c = static_cast<double>(points);
  // Some τ-ball holds this many points: the mean of #{k : ‖x_j − x_k‖ ≤ τ} over j is s/C.
  const double core = div_down(least_close_pairs, c);
  // They keep weight 1 when one of them goes: 6(core − 1) − 3C ≥ C, less 3 for odd C.
  if (!(6 * (core - 1) >= 4 * c + (points % 2 == 0 ? 0 : 3)))
    throw_error<InfeasibleError>("a core of {:.4g} of {} points is too small, expected {:.4g}", core, points,
                                 (4 * c + (points % 2 == 0 ? 0 : 3)) / 6 + 1);
  const double eta = distance_error(dimension);
  // [docs/outliers.md, Theorem 2] 4τ·(1 + 6(C − core)/C)/core, with τ(1 + 6η): what "near" really means.
  const double changed = add_up(1, div_up(mul_up(6, sub_up(c, core)), c));
  const double reach = mul_up(mul_up(4, tau), add_up(1, mul_up(6, eta)));
  return {.value = div_up(mul_up(reach, changed), core),
          // Σ w_j x_j / Σ w_j: a product, C additions and a division, for points no longer than the bound.
          .slack = mul_up(2, mul_up(gamma_bound(points + 4), bound)),
          .norm = Norm::l2,
          .reason =
              "mean of inliers: 4(7-6 rho) tau/(rho C) while rho C^2 pairs are close; slack: rounding of two "
              "means"};
}

double coin_inclusion_constant(std::size_t points, double rho, double failure) {
  if (!(rho > 0 && rho < 1 && failure > 0 && failure < 1))
    throw_error<UsageError>("rho is {} and failure {}, expected both between 0 and 1", rho, failure);
  const double c = static_cast<double>(points);
  // C − ρC points may be included on one side only, each with probability at most 6/C, independently: no more
  // than k of them are, but for the failure. The replaced point is one more; ρC are included surely.
  const boost::math::binomial coins(std::floor(c - rho * c), std::min(1.0, 6 / c));
  double k = 0;
  while (boost::math::cdf(boost::math::complement(coins, k)) > failure) ++k;
  return 4 * (k + 1) / rho;
}

}  // namespace tacit::inline v1
