#include "solver/extended_objective.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/ordered_parts.hpp"
#include "core/parallel.hpp"
#include "domain/local.hpp"
#include "domain/quad.hpp"
#include "solver/extension_paths.hpp"
#include "solver/kernels.hpp"
#include "solver/pairwise_sum.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::size_t extended_block = 128;
constexpr std::size_t part_blocks = 4;  // at least, in what one thread does at a time: records take long here
// A certificate's numbers follow from it, so that it is the same on every machine.
constexpr double long_roundoff = 0x1p-64;
static_assert(std::numeric_limits<long double>::digits >= 64, "the path is solved with 64 bits or more");

const Link& require_link(const LossSpec& loss) {
  const auto* link = std::get_if<Link>(&loss);
  if (!link || link->kind == LinkKind::poisson)
    throw_error<UsageError>("the Lipschitz extension is offered for losses of one output except poisson");
  return *link;
}

// Σ over the row, the intercept included, of f(column, value).
template <class F>
void for_entries(const RowView& row, std::size_t columns, double intercept, F f) {
  for (std::size_t k = 0; k < row.size; ++k) f(row.columns ? row.columns[k] : k, row.values[k]);
  if (intercept != 0) f(columns, intercept);
}

// How far W⁺, which y runs over, reaches beyond W, at most: C/Q, for a box in every coordinate.
double margin_of(const ExtendedSetting& setting, std::size_t features) {
  const double layer = div_up(setting.lipschitz, setting.curvature);
  if (std::holds_alternative<Ball>(setting.domain)) return layer;
  return mul_up(layer, sqrt_up(static_cast<double>(features)));
}

}  // namespace

struct ExtendedObjective::At {
  const Vector* w = nullptr;
  std::vector<long double> x;  // w − c on a ball, w on a box
  long double square = 0, room = 0;
};

// Σ of gradients: one part along rows, and one along w − c.
struct ExtendedObjective::Sum {
  RowRoom room;
  PairwiseSum rows;
  Vector block;
  // Record after record, as many as there are: 2^32 additions of 113 bits lose less than one of doubles does.
  detail::Quad radial = 0;
  std::vector<long double> u, below, above;  // scratch
};

GradientCut extended_error(const ExtendedSetting& setting, const Shape& shape) {
  const double c = setting.lipschitz, a = std::max(setting.gradient_bound, c), ratio = div_up(a, c);
  const double margin = margin_of(setting, shape.features);
  const double size = add_up(largest_norm(setting.domain), margin);
  const double diameter = add_up(LocalDomain(setting.domain).diameter(), mul_up(2, margin));
  const auto d = static_cast<double>(shape.features);
  // docs/double_output.md, "On a machine": what long double leaves of h·m and of the position on the path.
  const double steps = mul_up(64 * (d + 24), long_roundoff);
  const double pull = mul_up(mul_up(steps, a), mul_up(ratio, ratio));
  const double tolerance = mul_up(4 * static_cast<double>(path_tolerance), a);
  const double place =
      add_up(mul_up(mul_up(steps, 2), mul_up(ratio, add_up(diameter, size))),
             add_up(mul_up(4 * unit_roundoff, size),
                    mul_up(4 * static_cast<double>(path_tolerance), mul_up(ratio, diameter))));
  // The slope is off by 16u of itself, and belongs to a point that is off by `place`.
  const double slope = add_up(mul_up(16 * unit_roundoff, a), add_up(pull, tolerance));
  const double cut = add_up(mul_up(2 * a, place), mul_up(diameter, slope));
  // Coefficients and products, in doubles; blocks, two passes through the levels, the parts.
  const std::size_t levels = static_cast<std::size_t>(std::bit_width(shape.records));
  const double sums = mul_up(gamma_bound(extended_block + 2 * levels + 32), mul_up(3, a));
  const double public_terms =
      mul_up(16 * unit_roundoff, mul_up(setting.regularisation, add_up(size, diameter)));
  return {.vector = add_up(add_up(sums, mul_up(4, pull)), public_terms), .cut = cut};
}

ExtendedObjective::ExtendedObjective(const Problem& problem, const ExtendedSetting& setting, unsigned threads)
    : problem_(&problem),
      shape_(shape_of(problem)),
      link_(require_link(problem.loss)),
      setting_(setting),
      curvature_(setting.curvature),
      diameter_(static_cast<long double>(LocalDomain(setting.domain).diameter())),
      layer_(static_cast<long double>(setting.lipschitz) / static_cast<long double>(setting.curvature)),
      threads_(threads == 0 ? default_threads() : threads),
      limits_(shape_.records),
      norms_(shape_.records) {
  largest_norm(setting.domain);  // a ball or a box
  validate(setting.domain, static_cast<Eigen::Index>(shape_.parameters()));
  constexpr double none = std::numeric_limits<double>::infinity();
  parallel_parts(shape_.records, threads_, [&](std::size_t begin, std::size_t end, unsigned) {
    RowRoom room;
    for (std::size_t i = begin; i < end; ++i) {
      const RowView row = problem.data->features.row(i, room);
      const double norm = row_norm(row, problem.intercept);
      if (norm == 0) continue;
      limits_[i] = {div_down(setting.gradient_bound, norm), none};
      long double square = 0;
      for_entries(row, shape_.features - 1, problem.intercept, [&](std::size_t, double value) {
        square += static_cast<long double>(value) * static_cast<long double>(value);
      });
      norms_[i] = std::sqrt(square);
    }
  });
}

void ExtendedObjective::round_off(double curvature) {
  curvature_ = curvature;
  layer_ = static_cast<long double>(setting_.lipschitz) / static_cast<long double>(curvature);
}

long double ExtendedObjective::inner_diameter() const {
  return diameter_ + 2 * layer_ * std::sqrt(static_cast<long double>(setting_.center.size()));
}

ExtendedObjective::At ExtendedObjective::at(const Vector& w) const {
  At at{.w = &w};
  at.x.resize(static_cast<std::size_t>(w.size()));
  const auto* ball = std::get_if<Ball>(&setting_.domain);
  detail::Quad square = 0;
  for (Eigen::Index j = 0; j < w.size(); ++j) {
    const detail::Quad x = static_cast<detail::Quad>(w[j]) - (ball ? ball->center[j] : 0);
    at.x[static_cast<std::size_t>(j)] = static_cast<long double>(x);
    square += x * x;
  }
  if (!ball) return at;
  const detail::Quad radius = static_cast<detail::Quad>(ball->radius) + static_cast<detail::Quad>(layer_);
  const detail::Quad room = radius * radius - square;
  at.square = static_cast<long double>(square);
  at.room = room > 0 ? static_cast<long double>(room) : 0;
  return at;
}

// The slope along û at a score, `sign` being that of û beside a.
namespace {
auto slope_along(const Link& link, const Limits& limits, double label, long double norm, double sign) {
  return [&link, limits, label, norm, sign](long double score) {
    return static_cast<long double>(sign * slope(link, limits, static_cast<double>(score), label).first) *
           norm;
  };
}
}  // namespace

void ExtendedObjective::add_on_ball(std::size_t i, const At& at, Sum& sum) const {
  const Ball& ball = std::get<Ball>(setting_.domain);
  const RowView row = problem_->data->features.row(i, sum.room);
  const std::size_t columns = problem_->data->features.columns();
  const long double norm = norms_[i];
  long double along = 0, offset = 0;
  for_entries(row, columns, problem_->intercept, [&](std::size_t j, double value) {
    const auto a = static_cast<long double>(value);
    along += a * at.x[j];
    offset += a * static_cast<long double>(ball.center[static_cast<Eigen::Index>(j)]);
  });
  const double first =
      slope(link_, limits_[i], static_cast<double>(offset + along), problem_->data->labels[i]).first;
  if (first == 0) return;
  // Along −a the score is what falls: the path counts from there.
  const double sign = first > 0 ? 1 : -1;
  const auto turned = static_cast<long double>(sign);
  const BallPath path{
      turned * along / norm, at.square, at.room, static_cast<long double>(ball.radius) + layer_,
      turned * offset,       norm};
  const auto v = [&, down = slope_along(link_, limits_[i], problem_->data->labels[i], norm, sign)](
                     long double score) { return down(turned * score); };
  const PathRoot root = extension_root(
      path, v, static_cast<long double>(std::fabs(first)) * norm,
      {static_cast<long double>(setting_.lipschitz), static_cast<long double>(curvature_), inner_diameter()});
  const long double gap = root.free ? 0 : path.shrunk(root.m);
  const long double pull = root.free ? root.pull : root.pull * (1 - gap);
  kernels::add_scaled(row, sign * static_cast<double>(pull / norm), sum.block.data(), columns,
                      problem_->intercept);
  sum.radial += root.h * gap;
}

void ExtendedObjective::add_on_box(std::size_t i, const At& at, Sum& sum) const {
  const Box& box = std::get<Box>(setting_.domain);
  const RowView row = problem_->data->features.row(i, sum.room);
  const std::size_t columns = problem_->data->features.columns();
  const long double norm = norms_[i];
  long double score = 0;
  for_entries(row, columns, problem_->intercept,
              [&](std::size_t j, double value) { score += static_cast<long double>(value) * at.x[j]; });
  const double first = slope(link_, limits_[i], static_cast<double>(score), problem_->data->labels[i]).first;
  if (first == 0) return;
  const double sign = first > 0 ? 1 : -1;
  sum.u.clear(), sum.below.clear(), sum.above.clear();
  for_entries(row, columns, problem_->intercept, [&](std::size_t j, double value) {
    const auto k = static_cast<Eigen::Index>(j);
    sum.u.push_back(static_cast<long double>(sign * value) / norm);
    sum.below.push_back(at.x[j] - static_cast<long double>(box.lower[k]) + layer_);
    sum.above.push_back(at.x[j] - static_cast<long double>(box.upper[k]) - layer_);
  });
  const auto turned = static_cast<long double>(sign);
  const BoxPath path{sum.u, sum.below, sum.above, turned * score, norm};
  const auto v = [&, down = slope_along(link_, limits_[i], problem_->data->labels[i], norm, sign)](
                     long double at_score) { return down(turned * at_score); };
  const PathRoot root = extension_root(
      path, v, static_cast<long double>(std::fabs(first)) * norm,
      {static_cast<long double>(setting_.lipschitz), static_cast<long double>(curvature_), inner_diameter()});
  if (root.free)
    return kernels::add_scaled(row, sign * static_cast<double>(root.pull / norm), sum.block.data(), columns,
                               problem_->intercept);
  std::size_t k = 0;
  for_entries(row, columns, problem_->intercept, [&](std::size_t j, double) {
    sum.block[static_cast<Eigen::Index>(j)] += static_cast<double>(root.h * path.step(k++, root.m));
  });
}

void ExtendedObjective::add(std::size_t i, const At& at, Sum& sum) const {
  if (limits_[i].slope == 0) return;
  if (std::holds_alternative<Ball>(setting_.domain))
    add_on_ball(i, at, sum);
  else
    add_on_box(i, at, sum);
}

Vector ExtendedObjective::record_gradient(std::size_t record, const Vector& w) const {
  Sum sum;
  sum.block.setZero(w.size());
  const At here = at(w);
  add(record, here, sum);
  for (Eigen::Index j = 0; j < w.size(); ++j)
    sum.block[j] +=
        static_cast<double>(static_cast<long double>(sum.radial) * here.x[static_cast<std::size_t>(j)]);
  return sum.block;
}

void ExtendedObjective::gradient(const Vector& w, Vector& gradient) {
  const At here = at(w);
  const std::size_t n = shape_.records, blocks = (n + extended_block - 1) / extended_block;
  std::vector<Sum> sums(threads_);
  const auto work = [&](std::size_t begin, std::size_t end, std::size_t slot) {
    Sum& sum = sums[slot];
    sum.radial = 0;
    for (std::size_t block = begin; block < end; ++block) {
      sum.block.setZero(w.size());
      for (std::size_t i = block * extended_block; i < std::min(n, (block + 1) * extended_block); ++i)
        add(i, here, sum);
      sum.rows.add(sum.block);
    }
  };
  PairwiseSum total;
  Vector share;
  detail::Quad radial = 0;
  in_order(OrderedParts(blocks, part_blocks), threads_, work, [&](std::size_t slot) {
    sums[slot].rows.take_total(w.size(), share);
    total.add(share);
    radial += sums[slot].radial;
  });
  total.take_total(w.size(), gradient);
  const auto count = static_cast<long double>(std::max(n, setting_.records));
  const auto along = static_cast<long double>(radial);
  const auto lambda = static_cast<long double>(setting_.regularisation);
  for (Eigen::Index j = 0; j < w.size(); ++j) {
    const long double mean =
        (static_cast<long double>(gradient[j]) + along * here.x[static_cast<std::size_t>(j)]) / count;
    const long double away = static_cast<long double>(w[j]) - static_cast<long double>(setting_.center[j]);
    gradient[j] = static_cast<double>(mean + lambda * away);
  }
}

}  // namespace tacit::inline v1
