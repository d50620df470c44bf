#include "solver/clipped_sums.hpp"

#include <bit>

#include "loss/limited.hpp"
#include "solver/batch_blocks.hpp"
#include "solver/clip_factor.hpp"
#include "solver/network_sums.hpp"
#include "solver/output_loss.hpp"
#include "solver/shard_pass.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

void validate(const Clip& clip) {
  if (!(clip.length >= 0x1p-200 && clip.length <= 0x1p100))
    throw_error<UsageError>("a contribution's length is {}, expected between {:.1e} and {:.1e}", clip.length,
                            0x1p-200, 0x1p100);
  for (const double tau : {clip.norm, clip.threshold})
    if (!(tau >= 0 && tau <= 0x1p100))
      throw_error<UsageError>("the clip norm is {}, expected between 0 and {:.1e}", tau, 0x1p100);
}

class LinearSums {
 public:
  LinearSums(const Problem& problem, const Clip& clip, unsigned threads)
      : problem_(&problem),
        clip_(clip),
        loss_(problem.loss),
        norms_(problem, threads),
        blocks_(shape_of(problem).parameters(), threads) {
    const std::size_t outputs = loss_.outputs();
    workers_.resize(blocks_.threads(), {std::vector<double>(block_rows * outputs),
                                        std::vector<double>(block_rows * (outputs + 3)),
                                        {},
                                        {},
                                        {}});
  }

  void operator()(const Vector& w, std::span<const std::uint32_t> batch, Vector& sum) {
    blocks_.sum(batch, sum, [&](const Portion& portion, std::size_t worker, double* partial) {
      add(w, portion, workers_[worker], partial);
    });
  }

 private:
  struct Worker {
    std::vector<double> z, room;
    std::array<double, block_rows> norms, labels;
    BlockRoom rows;
  };

  void add(const Vector& w, const Portion& portion, Worker& worker, double* partial) const {
    const std::size_t outputs = loss_.outputs();
    const std::span<const std::uint32_t> members = portion.members;
    const RowBlock block = gather(*problem_, portion, worker.rows);
    // Far apart in memory: asked for a block earlier, and read together.
    for (const std::uint32_t next : portion.upcoming) {
      norms_.prefetch(next);
      __builtin_prefetch(&problem_->data->labels[next]);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      worker.norms[i] = norms_.of(members[i], block.rows[i]);
      worker.labels[i] = problem_->data->labels[members[i]];
    }
    multiply_rows(block, w.data(), outputs, worker.z.data());
    loss_.residuals({worker.z.data(), members.size() * outputs}, {worker.labels.data(), members.size()},
                    worker.room);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::span<double> r(worker.z.data() + i * outputs, outputs);
      const double row = worker.norms[i];
      double factor = 0;
      if (row > 0) {
        const double residual = norm_up(r);
        factor =
            weighted(clip_factor(clip_, product_up(residual, row), residual), *problem_->data, members[i]);
      }
      scale(r, factor);
    }
    add_outer_products(block, worker.z.data(), outputs, partial);
  }

  const Problem* problem_;
  Clip clip_;
  OutputLoss loss_;
  RowNorms norms_;
  BatchBlocks blocks_;
  std::vector<Worker> workers_;
};

class ExplicitSums {
 public:
  ExplicitSums(RecordGradient gradient, std::size_t parameters, const Clip& clip, unsigned threads,
               const Dataset* weighed)
      : gradient_(std::move(gradient)), clip_(clip), weighed_(weighed), blocks_(parameters, threads) {
    workers_.resize(blocks_.threads(), std::vector<double>(parameters));
  }

  void operator()(const Vector& w, std::span<const std::uint32_t> batch, Vector& sum) {
    blocks_.sum(batch, sum, [&](const Portion& portion, std::size_t worker, double* partial) {
      const std::span<double> g = workers_[worker];
      for (const std::uint32_t record : portion.members) {
        std::ranges::fill(g, 0.0);
        gradient_(w, record, g);
        const double norm = norm_up(g), factor = clip_factor(clip_, norm, norm);
        scale(g, weighed_ != nullptr ? weighted(factor, *weighed_, record) : factor);
        for (std::size_t k = 0; k < g.size(); ++k) partial[k] += g[k];
      }
    });
  }

 private:
  RecordGradient gradient_;
  Clip clip_;
  const Dataset* weighed_;
  BatchBlocks blocks_;
  std::vector<std::vector<double>> workers_;
};

// std::function copies; what it calls is shared.
template <class Sums>
BatchSums shared(std::shared_ptr<Sums> sums) {
  return
      [sums](const Vector& w, std::span<const std::uint32_t> batch, Vector& sum) { (*sums)(w, batch, sum); };
}

}  // namespace

RowBlock gather(const Problem& problem, const Portion& portion, BlockRoom& room) {
  const Features& features = problem.data->features;
  RowBlock block{.count = portion.members.size(),
                 .columns = features.columns(),
                 .intercept = problem.intercept,
                 .fetched = !portion.first};
  for (std::size_t i = 0; i < block.count; ++i) block.rows[i] = features.row(portion.members[i], room[i]);
  if (features.in_memory() && !features.sparse())
    for (std::size_t i = 0; i < portion.upcoming.size(); ++i)
      block.upcoming[i] = features.row(portion.upcoming[i]).values;
  return block;
}

RowNorms::RowNorms(const Problem& problem, unsigned threads) : intercept_(problem.intercept) {
  const Features& features = problem.data->features;
  if (!features.in_memory()) return;
  kept_.resize(features.rows());
  parallel_parts(kept_.size(), threads, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) kept_[i] = row_norm(features.row(i), intercept_);
  });
}

void scale(std::span<double> x, double factor) {
  if (factor == 0)
    std::ranges::fill(x, 0.0);  // also what is not a number
  else
    for (double& v : x) v *= factor;
}

double clipped_sum_rounding(std::size_t records, double length, std::size_t shards) {
  // Every term: its product, at most one addition a row of its stretch, then through the pairwise sum, which
  // takes k additions for 2^k stretches and at most k + 1 more to join what is left; then the shards' sums.
  // No shard has more stretches than all records would have.
  constexpr std::size_t rows = BatchBlocks::stretch_rows;
  const std::size_t stretches = (records + rows - 1) / rows;
  const std::size_t depth =
      rows + 1 + 2 * static_cast<std::size_t>(std::bit_width(stretches)) + 2 + joining_depth(shards);
  // ‖error‖ ≤ gamma·‖Σ|contribution|‖ ≤ gamma·records·length.
  return mul_up(gamma_bound(depth), mul_up(static_cast<double>(records), length));
}

BatchSums clipped_sums(const Problem& problem, const Clip& clip, unsigned threads) {
  validate(clip);
  if (std::holds_alternative<Network>(problem.loss)) return network_sums(problem, clip, threads);
  return shared(std::make_shared<LinearSums>(problem, clip, threads));
}

BatchSums clipped_sums(RecordGradient gradient, std::size_t parameters, const Clip& clip, unsigned threads,
                       const Dataset* weighed) {
  validate(clip);
  return shared(std::make_shared<ExplicitSums>(std::move(gradient), parameters, clip, threads, weighed));
}

}  // namespace tacit::inline v1
