#include "solver/limited_objective.hpp"

#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/ordered_parts.hpp"
#include "core/parallel.hpp"
#include "solver/kernels.hpp"
#include "solver/pairwise_sum.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::size_t hessian_rows = 1024;  // rows per BLAS call
constexpr std::size_t part_rows = 2048;     // at least, in what one thread does at a time
constexpr unsigned most_threads = 256;

// Gradients are summed in blocks of this many rows, the blocks pairwise: short blocks keep the rounding bound
// small, blocks of at least an eighth of the parameters keep the joining cheap.
std::size_t rows_in_block(std::size_t parameters) {
  return std::clamp<std::size_t>(std::bit_ceil(parameters / 8), 128, 16384);
}

}  // namespace

double LossLimits::gradient_norm() const { return blocks.empty() ? slope : mul_up(slope, blocks.l2_bound()); }

double GradientError::at(double distance) const { return add_up(constant, mul_up(per_distance, distance)); }

GradientError gradient_error(const Shape& shape, const LossLimits& limits, double strength,
                             double center_norm, double label_bound) {
  const double n = static_cast<double>(shape.records);
  const double c = limits.gradient_norm(), q = limits.curvature;

  // Scores: |computed ⟨a,w⟩ − ⟨a,w⟩| ≤ γ‖a‖‖w‖ moves φ'‖a‖ by at most φ''‖a‖²·γ‖w‖ ≤ Q·γ‖w‖.
  double score = gamma_bound(kernels::dot_depth(shape.features));
  double slope_error = 0;
  if (const auto* link = std::get_if<Link>(&shape.loss)) {
    slope_error = slope_rounding(*link, c, q, label_bound);
    // Poisson subtracts its rounded zero from the score (docs/limited_loss.md).
    if (link->kind == LinkKind::poisson) score = add_up(score, 8 * unit_roundoff);
  } else {
    const SoftmaxLoss softmax(std::get<Softmax>(shape.loss).classes);
    score = add_up(score, softmax.logit_rounding());
    slope_error = mul_up(softmax.gradient_rounding(), c);
  }
  const double per_norm = mul_up(n, mul_up(q, score));

  // Sum: block, two passes through the pairwise levels of a part, the parts pairwise (at most 7 levels of
  // 64), one product [docs/limited_loss.md].
  const std::size_t levels = static_cast<std::size_t>(std::bit_width(shape.records));
  const double sum_error = mul_up(gamma_bound(rows_in_block(shape.parameters()) + 2 * levels + 10),
                                  mul_up(n, mul_up(c, 1.0 + 0x1p-20)));

  // strength·(w − center) + tilt: four roundings of numbers no larger than the sum's nC + strength·distance,
  // twice over (near a minimiser the tilt is at most both together), and two for a tilt that was itself
  // rounded to doubles.
  const double public_terms = 16 * unit_roundoff;
  const double constant =
      add_up(add_up(mul_up(n, slope_error), sum_error), mul_up(public_terms, mul_up(n, c)));
  // The doubles near a center of norm r are u·r apart, which strength·(w − center) shows.
  const double at_center = mul_up(add_up(per_norm, mul_up(public_terms, strength)), center_norm);
  return {.constant = add_up(constant, at_center),
          .per_distance = add_up(per_norm, mul_up(public_terms, strength))};
}

// One thread's share of a sweep over the records.
struct LimitedObjective::Worker {
  const Vector* w = nullptr;
  bool want_hessian = false;
  PairwiseSum gradient;
  Vector block;
  RowRoom room;
  Matrix hessian;            // lower triangle
  std::vector<double> rows;  // dense rows scaled by √φ'', waiting for BLAS
  std::size_t waiting = 0;

  void flush(std::size_t features) {
    if (waiting == 0) return;
    const int p = static_cast<int>(features);
    // OpenBLAS built without threads may share its buffers between callers: one at a time.
    static std::mutex one_caller;
    const std::lock_guard lock(one_caller);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, p, static_cast<int>(waiting), 1.0, rows.data(), p,
                1.0, hessian.data(), p);
    waiting = 0;
  }

  void add_outer_product(const RowView& row, double weight, std::size_t columns, double intercept) {
    const std::size_t features = columns + (intercept != 0 ? 1 : 0);
    if (row.columns == nullptr) {
      const double root = std::sqrt(weight);
      double* to = rows.data() + waiting * features;
      for (std::size_t k = 0; k < row.size; ++k) to[k] = root * row.values[k];
      if (intercept != 0) to[columns] = root * intercept;
      if (++waiting == hessian_rows) flush(features);
      return;
    }
    for (std::size_t j = 0; j < row.size; ++j) {
      const double scaled = weight * row.values[j];
      double* column = hessian.data() + row.columns[j] * features;
      for (std::size_t k = j; k < row.size; ++k) column[row.columns[k]] += scaled * row.values[k];
      if (intercept != 0) column[columns] += scaled * intercept;
    }
    if (intercept != 0) hessian(columns, columns) += weight * intercept * intercept;
  }
};

LimitedObjective::LimitedObjective(const Problem& problem, const LossLimits& limits, Regulariser regulariser,
                                   Vector tilt, double label_bound, unsigned threads)
    : problem_(&problem),
      shape_(shape_of(problem)),
      regulariser_(std::move(regulariser)),
      tilt_(std::move(tilt)),
      threads_(std::min(threads == 0 ? default_threads() : threads, most_threads)),
      curvature_limit_(limits.curvature),
      records_(problem, limits, label_bound, threads_),
      error_(tacit::gradient_error(shape_, limits, regulariser_.strength, next_up(regulariser_.center.norm()),
                                   label_bound)),
      keeps_scores_(problem.data->features.in_memory()) {
  if (keeps_scores_) scores_.resize(shape_.records * shape_.outputs);
}

double LimitedObjective::smoothness() const {
  return static_cast<double>(shape_.records) * curvature_limit_ + regulariser_.strength;
}

double LimitedObjective::strength_of(std::size_t parameter) const {
  const bool intercept = problem_->intercept != 0 && parameter % shape_.features == shape_.features - 1;
  return intercept && regulariser_.intercept_free ? 0.0 : regulariser_.strength;
}

void LimitedObjective::scores(const LimitedRecord& record, const Vector& w, double* z) const {
  for (std::size_t k = 0; k < shape_.outputs; ++k)
    z[k] = kernels::dot(record.row, w.data() + k * shape_.features, problem_->data->features.columns(),
                        problem_->intercept);
}

// At the remembered w.
const double* LimitedObjective::scores_at(std::size_t i, const LimitedRecord& record, double* room) const {
  if (keeps_scores_) return scores_.data() + i * shape_.outputs;
  scores(record, w_, room);
  return room;
}

void LimitedObjective::process(std::size_t begin, std::size_t end, Worker& worker) {
  const std::size_t columns = problem_->data->features.columns(), outputs = shape_.outputs;
  const double intercept = problem_->intercept;
  std::vector<double> slopes(outputs), now(outputs);
  worker.block.setZero(static_cast<Eigen::Index>(shape_.parameters()));
  const double copies = static_cast<double>(stride_);
  for (std::size_t i = (begin + stride_ - 1) / stride_ * stride_; i < end; i += stride_) {
    const LimitedRecord record = records_.at(i, worker.room);
    double* z = keeps_scores_ ? scores_.data() + i * outputs : now.data();
    if (record.nothing) {
      std::fill(z, z + outputs, 0.0);
      continue;
    }
    scores(record, *worker.w, z);
    double curvature = 0;
    records_.gradient(record, z, slopes.data(), &curvature);
    for (std::size_t k = 0; k < outputs; ++k)
      kernels::add_scaled(record.row, copies * slopes[k], worker.block.data() + k * shape_.features, columns,
                          intercept);
    if (worker.want_hessian && curvature > 0)
      worker.add_outer_product(record.row, copies * curvature, columns, intercept);
  }
  worker.gradient.add(worker.block);
}

void LimitedObjective::gradient(const Vector& w, Vector& gradient, Matrix* hessian) {
  const auto p = static_cast<Eigen::Index>(shape_.parameters());
  const std::size_t n = shape_.records, rows = rows_in_block(shape_.parameters()),
                    blocks = (n + rows - 1) / rows;
  w_ = w;
  std::vector<Worker> workers(threads_);
  const auto work = [&](std::size_t begin, std::size_t end, std::size_t slot) {
    Worker& worker = workers[slot];
    worker.w = &w;
    worker.want_hessian = hessian != nullptr;
    if (hessian) {
      worker.hessian.setZero(p, p);
      if (!problem_->data->features.sparse()) worker.rows.resize(hessian_rows * shape_.features);
    }
    for (std::size_t block = begin; block < end; ++block)
      process(block * rows, std::min(n, (block + 1) * rows), worker);
    worker.flush(shape_.features);
  };
  PairwiseSum total;
  Vector share;
  if (hessian) hessian->setZero(p, p);
  in_order(OrderedParts(blocks, std::max<std::size_t>(part_rows / rows, 1)), threads_, work,
           [&](std::size_t slot) {
             workers[slot].gradient.take_total(p, share);
             total.add(share);
             if (hessian) *hessian += workers[slot].hessian;
           });
  total.take_total(p, gradient);
  add_public_terms(w, gradient, hessian);
}

void LimitedObjective::add_public_terms(const Vector& w, Vector& gradient, Matrix* hessian) const {
  for (Eigen::Index j = 0; j < w.size(); ++j) {
    const double strength = strength_of(static_cast<std::size_t>(j));
    gradient[j] += strength * (w[j] - regulariser_.center[j]) + tilt_[j];
    if (hessian) (*hessian)(j, j) += strength;
  }
}

void LimitedObjective::curvature(const Vector& direction, Vector& result) {
  const auto p = static_cast<Eigen::Index>(shape_.parameters());
  const std::size_t columns = problem_->data->features.columns(), outputs = shape_.outputs;
  std::vector<Vector> sums(threads_);
  const auto work = [&](std::size_t begin, std::size_t end, std::size_t slot) {
    Vector& sum = sums[slot];
    sum.setZero(p);
    std::vector<double> z(outputs), h(outputs), now(outputs);
    RowRoom room;
    const double copies = static_cast<double>(stride_);
    for (std::size_t i = (begin + stride_ - 1) / stride_ * stride_; i < end; i += stride_) {
      const LimitedRecord record = records_.at(i, room);
      if (record.nothing) continue;
      scores(record, direction, z.data());
      records_.curvature(record, scores_at(i, record, now.data()), z.data(), h.data());
      for (std::size_t k = 0; k < outputs; ++k)
        if (h[k] != 0)
          kernels::add_scaled(record.row, copies * h[k], sum.data() + k * shape_.features, columns,
                              problem_->intercept);
    }
  };
  result.setZero(p);
  in_order(OrderedParts(shape_.records, part_rows), threads_, work,
           [&](std::size_t slot) { result += sums[slot]; });
  for (Eigen::Index j = 0; j < p; ++j) result[j] += strength_of(static_cast<std::size_t>(j)) * direction[j];
}

void LimitedObjective::prepare_line(const Vector& direction) {
  direction_ = direction;
  if (!keeps_scores_) return;
  line_scores_.assign(scores_.size(), 0.0);
  parallel_parts(shape_.records, threads_, [&](std::size_t begin, std::size_t end, unsigned) {
    RowRoom room;
    for (std::size_t i = begin; i < end; ++i)
      if (const LimitedRecord record = records_.at(i, room); !record.nothing)
        scores(record, direction, line_scores_.data() + i * shape_.outputs);
  });
}

double LimitedObjective::line_slope(double t) const {
  const std::size_t outputs = shape_.outputs;
  std::vector<double> sums(threads_);
  const auto work = [&](std::size_t begin, std::size_t end, std::size_t slot) {
    std::vector<double> z(outputs), slopes(outputs), now(outputs), made(outputs);
    RowRoom room;
    double sum = 0, unused = 0;
    for (std::size_t i = (begin + stride_ - 1) / stride_ * stride_; i < end; i += stride_) {
      const LimitedRecord record = records_.at(i, room);
      if (record.nothing) continue;
      if (!keeps_scores_) scores(record, direction_, made.data());
      const double *at = scores_at(i, record, now.data()),
                   *along = keeps_scores_ ? line_scores_.data() + i * outputs : made.data();
      for (std::size_t k = 0; k < outputs; ++k) z[k] = at[k] + t * along[k];
      records_.gradient(record, z.data(), slopes.data(), &unused);
      for (std::size_t k = 0; k < outputs; ++k) sum += static_cast<double>(stride_) * slopes[k] * along[k];
    }
    sums[slot] = sum;
  };
  double total = tilt_.dot(direction_);
  in_order(OrderedParts(shape_.records, part_rows), threads_, work,
           [&](std::size_t slot) { total += sums[slot]; });
  for (Eigen::Index j = 0; j < direction_.size(); ++j)
    total += strength_of(static_cast<std::size_t>(j)) * (w_[j] + t * direction_[j] - regulariser_.center[j]) *
             direction_[j];
  return total;
}

}  // namespace tacit::inline v1
