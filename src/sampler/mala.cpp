#include "sampler/mala.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/row_reader.hpp"
#include "noise/coins.hpp"
#include "noise/samplers.hpp"
#include "sampler/piece.hpp"
#include "solver/row_products.hpp"
#include "tacit/mechanisms.hpp"

namespace tacit::inline v1::sampler {

namespace {

// Σ(φᵢ − φᵢ(0)) and its gradient over records that are here.
class PieceSums {
 public:
  PieceSums(const Problem& problem, const LossLimits& limits)
      : problem_(&problem), rows_(problem.data->features) {
    const Link& link = std::get<Link>(problem.loss);
    RowRoom room;
    for (std::size_t i = 0; i < problem.data->size(); ++i) {
      const double norm = row_norm(rows_.row(i, room), problem.intercept);
      pieces_.push_back(piece_of(link, limits, norm, problem.data->labels[i]));
    }
  }

  double value_and_gradient(const Vector& theta, Vector& gradient) const {
    double scores[block_rows], slopes[block_rows];
    gradient.setZero(theta.size());
    double sum = 0;
    std::size_t record = 0;
    BlockRoom room;
    while (record < pieces_.size()) {
      const RowBlock block = block_from(record, room);
      multiply_rows(block, theta.data(), 1, scores);
      double part = 0;
      for (std::size_t i = 0; i < block.count; ++i, ++record) {
        // A row that contributes nothing may have any score.
        const bool nothing = pieces_[record].kind == Piece::Kind::nothing;
        part += nothing ? 0 : rise(pieces_[record], scores[i]).value;
        slopes[i] = nothing ? 0 : slope_at(pieces_[record], scores[i]);
      }
      sum += part;
      add_outer_products(block, slopes, 1, gradient.data());
    }
    return sum;
  }

 private:
  RowBlock block_from(std::size_t begin, BlockRoom& room) const {
    RowBlock block{.count = std::min(block_rows, pieces_.size() - begin),
                   .columns = problem_->data->features.columns(),
                   .intercept = problem_->intercept};
    for (std::size_t i = 0; i < block.count; ++i) block.rows[i] = rows_.row(begin + i, room[i]);
    return block;
  }

  const Problem* problem_;
  RowReader rows_;
  std::vector<Piece> pieces_;
};

// On a shard: the gradient, and after it the value.
class PieceSumsPass final : public ShardPass {
 public:
  PieceSumsPass(const Problem& problem, const LossLimits& limits) : sums_(problem, limits) {}

  void answer(MessageReader& question, MessageWriter& answer) override {
    Vector both;
    const double value = sums_.value_and_gradient(question.vector(), both);
    both.conservativeResize(both.size() + 1);
    both[both.size() - 1] = value;
    answer.put(both);
  }

 private:
  PieceSums sums_;
};

// f = γΣ(φᵢ − φᵢ(0)) + (ρ/2)‖θ‖² and its gradient, wherever the records are.
class Potential {
 public:
  explicit Potential(Target target) : target_(std::move(target)) {
    const Problem& problem = *target_.problem;
    if (problem.data->shards)
      shards_ = std::make_unique<RemotePass>(
          problem.data->shards, "potential",
          MessageWriter().put(target_.limits.slope).put(target_.limits.curvature));
    else
      here_.emplace(problem, target_.limits);
  }

  const Target& target() const { return target_; }

  double value_and_gradient(const Vector& theta, Vector& gradient) const {
    const double sum = here_ ? here_->value_and_gradient(theta, gradient) : of_shards(theta, gradient);
    gradient = target_.inverse_temperature * gradient + target_.strength * theta;
    return target_.inverse_temperature * sum + 0.5 * target_.strength * theta.squaredNorm();
  }

 private:
  double of_shards(const Vector& theta, Vector& gradient) const {
    Vector both;
    shards_->sum(MessageWriter().put(theta), static_cast<std::size_t>(theta.size()) + 1, both);
    gradient = both.head(theta.size());
    return both[theta.size()];
  }

  Target target_;
  std::optional<PieceSums> here_;
  std::unique_ptr<RemotePass> shards_;
};

// Where a chain is.
struct Position {
  Vector theta, gradient;
  double potential = 0;

  void move_to(const Potential& f, Vector to) {
    theta = std::move(to);
    potential = f.value_and_gradient(theta, gradient);
  }
};

Vector gaussian(Eigen::Index size, double sigma, BitSource& bits) {
  const Vector zero = Vector::Zero(size);
  Vector out(size);
  const auto count = static_cast<std::size_t>(size);
  // As fine as noise in an objective, so that steps there and back are all but on one grid.
  const noise::Lattice fine{noise::perturbation_grid(sigma), 0};
  noise::add_gaussian({zero.data(), count}, sigma, fine, bits, {out.data(), count});
  return out;
}

// −ln of the density, up to a constant, with which the Langevin step goes from one position to a point.
double step_cost(const Position& from, const Vector& to, double h) {
  return (to - from.theta + h * from.gradient).squaredNorm() / (4 * h);
}

}  // namespace

struct ConstrainedMala::State {
  Potential potential;
  Vector start;
  ChainSettings settings;
  std::uint64_t proposals = 0, accepted = 0, chains = 0;
};

ConstrainedMala::ConstrainedMala(Target target, Vector start, const ChainSettings& settings)
    : state_(std::make_unique<State>(State{Potential(std::move(target)), std::move(start), settings})) {}
ConstrainedMala::~ConstrainedMala() = default;
ConstrainedMala::ConstrainedMala(ConstrainedMala&&) noexcept = default;

// Notation [Lin24, Alg. 1]: h = step_size, K = steps.
Vector ConstrainedMala::chain(BitSource& bits, const std::function<void(const Vector&)>& watch) {
  State& s = *state_;
  const double h = s.settings.step_size;
  const Eigen::Index d = s.start.size();
  ++s.chains;

  // 3: Sample θ⁰.
  Position now, next;
  now.move_to(s.potential, s.start + gaussian(d, s.settings.start_scale, bits));
  for (std::uint64_t k = 0; k < s.settings.steps; ++k) {
    // 5: Sample θ^{k+1} ~ N(θᵏ − h∇f(θᵏ), 2hI).
    const Vector noise = gaussian(d, std::sqrt(2 * h), bits);
    next.move_to(s.potential, now.theta - h * now.gradient + noise);
    // 6–9: Keep it with probability min(1, p(θᵏ|θ^{k+1})π(θ^{k+1})/(p(θ^{k+1}|θᵏ)π(θᵏ))). (The paper's line 7
    // has π upside down.)
    const double loss =
        next.potential - now.potential + step_cost(next, now.theta, h) - step_cost(now, next.theta, h);
    ++s.proposals;
    if (!std::isnan(loss) && noise::bernoulli_exp(loss, bits)) {
      std::swap(now, next);
      ++s.accepted;
    }
    if (watch) watch(now.theta);
  }
  return now.theta;
}

bool ConstrainedMala::inside(const Vector& theta) const {
  const Target& target = state_->potential.target();
  return (theta - target.center).norm() <= target.radius;
}

Vector ConstrainedMala::draw(BitSource& bits) {
  for (;;)
    if (Vector theta = chain(bits); inside(theta)) return theta;
}

std::uint64_t ConstrainedMala::proposals() const { return state_->proposals; }
std::uint64_t ConstrainedMala::accepted() const { return state_->accepted; }
std::uint64_t ConstrainedMala::chains() const { return state_->chains; }

PassKind potential_pass() {
  return {"potential", [](const ShardRecords& records, MessageReader& settings) {
            const LossLimits limits{.slope = settings.get<double>(), .curvature = settings.get<double>()};
            return std::unique_ptr<ShardPass>(std::make_unique<PieceSumsPass>(*records.problem, limits));
          }};
}

}  // namespace tacit::inline v1::sampler
