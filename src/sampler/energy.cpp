#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "sampler/envelope.hpp"
#include "sampler/softmax_piece.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::sampler {

namespace {

// One thread's part: sums of blocks, so that few roundings touch each term.
struct Part {
  double sum = 0, size = 0, error = 0;
};
constexpr std::size_t block = 256;
constexpr std::size_t records_per_thread = 4096;  // fewer are not worth a thread

}  // namespace

double score_rounding(std::size_t features) { return gamma_bound(features + 8); }

Energy energy(const Target& target, const std::vector<Piece>& pieces, const Vector& theta, double distance,
              unsigned threads) {
  const std::size_t n = pieces.size();
  const auto useful = static_cast<unsigned>(std::clamp<std::size_t>(n / records_per_thread, 1, 256));
  threads = std::min(threads == 0 ? default_threads() : threads, useful);
  std::vector<Part> parts(threads);
  const auto* classes = std::get_if<Softmax>(&target.problem->loss);
  const SoftmaxLoss softmax(classes ? classes->classes : 2);
  parallel_parts(n, threads, [&](std::size_t begin, std::size_t end, unsigned number) {
    Part& part = parts[number];
    std::vector<double> z(classes ? softmax.outputs() : 1);
    for (std::size_t i = begin; i < end;) {
      double sum = 0, size = 0, error = 0;
      for (const std::size_t stop = std::min(end, i + block); i < stop; ++i) {
        if (pieces[i].kind == Piece::Kind::nothing) continue;
        scores(*target.problem, i, theta, z);
        const Rise at = classes ? softmax_rise(softmax, pieces[i], z) : rise(pieces[i], z[0]);
        sum += at.value;
        size += std::fabs(at.value);
        error += at.error;
      }
      part.sum += sum;
      part.size += size;
      part.error += error;
    }
  });
  Part total;
  for (const Part& part : parts) {
    total.sum += part.sum;
    total.size += part.size;
    total.error += part.error;
  }
  const double norm = theta.norm() * (1 + 1e-12), gamma = target.inverse_temperature;
  const double depth = gamma_bound(block + n / block + threads + 8);
  // A record's slope in θ is at most C, whatever it holds: a score's rounding and the distance to the true
  // point move it by at most C·(rounding·‖θ‖ + distance).
  const double moved = static_cast<double>(n) * target.limits.slope *
                       (score_rounding(static_cast<std::size_t>(theta.size())) * norm + distance);
  const double square = theta.squaredNorm();
  const double quadratic =
      target.strength *
      (gamma_bound(static_cast<std::size_t>(theta.size()) + 8) * square + (norm + distance) * distance);
  const double value = gamma * total.sum + 0.5 * target.strength * square;
  return {value, 1.01 * (gamma * (total.error + depth * total.size + moved) + quadratic) +
                     4 * unit_roundoff * (gamma * total.size + target.strength * square)};
}

}  // namespace tacit::inline v1::sampler
