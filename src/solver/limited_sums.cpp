#include "solver/limited_sums.hpp"

#include <cblas.h>

#include <mutex>
#include <vector>

#include "core/ordered_parts.hpp"
#include "core/parallel.hpp"
#include "solver/kernels.hpp"
#include "solver/limited_objective.hpp"
#include "solver/pairwise_sum.hpp"
#include "solver/sharded_limited_sums.hpp"

namespace tacit::inline v1 {

namespace {

constexpr std::size_t hessian_rows = 1024;  // rows per BLAS call
constexpr std::size_t part_rows = 2048;     // at least, in what one thread does at a time
constexpr unsigned most_threads = 256;

// One thread's share of a sweep over the records.
struct Sweep {
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

// Over records that are all here.
class LocalLimitedSums final : public LimitedSums {
 public:
  LocalLimitedSums(const Problem& problem, const LossLimits& limits, double label_bound, unsigned threads)
      : problem_(&problem),
        shape_(shape_of(problem)),
        threads_(std::min(threads == 0 ? default_threads() : threads, most_threads)),
        records_(problem, limits, label_bound, threads_),
        keeps_scores_(problem.data->features.in_memory()) {
    if (keeps_scores_) scores_.resize(shape_.records * shape_.outputs);
  }

  void gradient(const Vector& w, Vector& gradient, Matrix* hessian) override;
  void curvature(const Vector& direction, Vector& result) override;
  void prepare_line(const Vector& direction) override;
  double line_slope(double t, double start) const override;
  void soften(double factor) override { records_.soften(factor); }
  void thin(std::size_t stride) override { stride_ = stride; }

 private:
  void process(std::size_t begin, std::size_t end, Sweep& worker);
  void scores(const LimitedRecord& record, const Vector& w, double* z) const;
  const double* scores_at(std::size_t i, const LimitedRecord& record, double* room) const;

  const Problem* problem_;
  Shape shape_;
  unsigned threads_;
  std::size_t stride_ = 1;
  LimitedRecords records_;

  // Scores are kept for rows in memory, and made again with rows that are.
  bool keeps_scores_;
  Vector w_;                    // where gradient() was last called
  std::vector<double> scores_;  // ⟨aᵢ, w⟩ there, records × outputs
  Vector direction_;
  std::vector<double> line_scores_;  // ⟨aᵢ, direction⟩
};

void LocalLimitedSums::scores(const LimitedRecord& record, const Vector& w, double* z) const {
  for (std::size_t k = 0; k < shape_.outputs; ++k)
    z[k] = kernels::dot(record.row, w.data() + k * shape_.features, problem_->data->features.columns(),
                        problem_->intercept);
}

// At the remembered w.
const double* LocalLimitedSums::scores_at(std::size_t i, const LimitedRecord& record, double* room) const {
  if (keeps_scores_) return scores_.data() + i * shape_.outputs;
  scores(record, w_, room);
  return room;
}

void LocalLimitedSums::process(std::size_t begin, std::size_t end, Sweep& worker) {
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

void LocalLimitedSums::gradient(const Vector& w, Vector& gradient, Matrix* hessian) {
  const auto p = static_cast<Eigen::Index>(shape_.parameters());
  const std::size_t n = shape_.records, rows = rows_in_block(shape_.parameters()),
                    blocks = (n + rows - 1) / rows;
  w_ = w;
  std::vector<Sweep> workers(threads_);
  const auto work = [&](std::size_t begin, std::size_t end, std::size_t slot) {
    Sweep& worker = workers[slot];
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
}

void LocalLimitedSums::curvature(const Vector& direction, Vector& result) {
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
}

void LocalLimitedSums::prepare_line(const Vector& direction) {
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

double LocalLimitedSums::line_slope(double t, double start) const {
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
  double total = start;
  in_order(OrderedParts(shape_.records, part_rows), threads_, work,
           [&](std::size_t slot) { total += sums[slot]; });
  return total;
}

}  // namespace

std::unique_ptr<LimitedSums> limited_sums(const Problem& problem, const LossLimits& limits,
                                          double label_bound, unsigned threads) {
  if (problem.data->shards) return sharded_limited_sums(problem, limits, label_bound);
  return std::make_unique<LocalLimitedSums>(problem, limits, label_bound, threads);
}

}  // namespace tacit::inline v1
