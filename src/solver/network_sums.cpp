#include "solver/network_sums.hpp"

#include "solver/batch_blocks.hpp"
#include "solver/clip_factor.hpp"
#include "solver/output_loss.hpp"

namespace tacit::inline v1 {

namespace {

// Notation: h = act(W₁a), z = W₂(h, 1); δ₂ = ∂f/∂z, δ₁ = act'·W₂ᵀδ₂. The gradient is δ₁ ⊗ a in W₁ and
// δ₂ ⊗ (h, 1) in W₂, so its norm is √(‖δ₁‖²‖a‖² + ‖δ₂‖²(‖h‖² + 1)).
class NetworkSums {
 public:
  NetworkSums(const Problem& problem, const Clip& clip, unsigned threads)
      : problem_(&problem),
        network_(std::get<Network>(problem.loss)),
        shape_(shape_of(problem)),
        clip_(clip),
        loss_(problem.loss),
        norms_(problem, threads),
        blocks_(shape_.parameters(), threads) {
    const std::size_t outputs = loss_.outputs(), hidden = network_.hidden;
    workers_.resize(blocks_.threads(), {std::vector<double>(block_rows * hidden),
                                        std::vector<double>(block_rows * hidden),
                                        std::vector<double>(block_rows * outputs),
                                        std::vector<double>(outputs + 1),
                                        {}});
  }

  void operator()(const Vector& w, std::span<const std::uint32_t> batch, Vector& sum) {
    blocks_.sum(batch, sum, [&](const Portion& portion, std::size_t worker, double* partial) {
      add(w, portion, workers_[worker], partial);
    });
  }

 private:
  struct Worker {
    std::vector<double> h, hidden_residual, z, room;
    BlockRoom rows;
  };

  void add(const Vector& w, const Portion& portion, Worker& worker, double* partial) const {
    const std::span<const std::uint32_t> members = portion.members;
    const std::size_t outputs = loss_.outputs(), hidden = network_.hidden;
    const std::size_t second = hidden * shape_.features;  // where W₂ begins
    const RowBlock rows = gather(*problem_, portion, worker.rows);
    multiply_rows(rows, w.data(), hidden, worker.h.data());
    activate(network_.activation, worker.h.data(), members.size() * hidden);
    const RowBlock units = hidden_rows(worker.h.data(), members.size());
    multiply_rows(units, w.data() + second, outputs, worker.z.data());
    for (std::size_t i = 0; i < members.size(); ++i)
      clip_record(members[i], norms_.of(members[i], rows.rows[i]), w.data() + second,
                  {worker.h.data() + i * hidden, hidden},
                  {worker.hidden_residual.data() + i * hidden, hidden},
                  {worker.z.data() + i * outputs, outputs}, worker.room);
    add_outer_products(rows, worker.hidden_residual.data(), hidden, partial);
    add_outer_products(units, worker.z.data(), outputs, partial + second);
  }

  RowBlock hidden_rows(const double* h, std::size_t count) const {
    RowBlock block{.count = count, .columns = network_.hidden, .intercept = 1};
    for (std::size_t i = 0; i < count; ++i)
      block.rows[i] = {h + i * network_.hidden, nullptr, network_.hidden};
    return block;
  }

  // Turns z into factor·δ₂ and writes factor·δ₁. `row` is the norm of the record's.
  void clip_record(std::uint32_t record, double row, const double* w2, std::span<double> h,
                   std::span<double> delta1, std::span<double> z, std::span<double> room) const {
    double factor = 0;
    if (row > 0) {
      loss_.residual(z, problem_->data->labels[record], room);
      for (std::size_t u = 0; u < h.size(); ++u) {
        double back = 0;
        for (std::size_t k = 0; k < z.size(); ++k) back += z[k] * w2[k * (h.size() + 1) + u];
        delta1[u] = back * slope_from_value(network_.activation, h[u]);
      }
      const double residual = norm_up(z);
      const double first = mul_up(norm_up(delta1), row);
      const double second = mul_up(residual, length_up(norm_up(h), 1.0));
      factor = weighted(clip_factor(clip_, length_up(first, second), residual), *problem_->data, record);
    }
    scale(delta1, factor);
    scale(z, factor);
    if (factor == 0) std::ranges::fill(h, 0.0);
  }

  // √(a² + b²), rounded up; the larger one is taken out so that no square overflows.
  static double length_up(double a, double b) {
    const double larger = std::fmax(a, b), ratio = div_up(std::fmin(a, b), larger);
    return mul_up(larger, sqrt_up(add_up(1.0, mul_up(ratio, ratio))));
  }

  const Problem* problem_;
  Network network_;
  Shape shape_;
  Clip clip_;
  OutputLoss loss_;
  RowNorms norms_;
  BatchBlocks blocks_;
  std::vector<Worker> workers_;
};

}  // namespace

BatchSums network_sums(const Problem& problem, const Clip& clip, unsigned threads) {
  const auto sums = std::make_shared<NetworkSums>(problem, clip, threads);
  return
      [sums](const Vector& w, std::span<const std::uint32_t> batch, Vector& sum) { (*sums)(w, batch, sum); };
}

}  // namespace tacit::inline v1
