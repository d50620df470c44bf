#include "experiments/support/lower_bound.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/core.hpp"

namespace tacit::inline v1::clipping {

std::vector<Vector> hard_directions(std::size_t dimension, std::size_t count, std::mt19937_64& random) {
  if (dimension < 8 || dimension % 2 != 0)
    throw_error<UsageError>("the dimension is {}, expected an even number >= 8", dimension);
  constexpr std::size_t attempts_each = 100;
  const auto d = static_cast<Eigen::Index>(dimension);
  const double least = static_cast<double>(dimension) / 8;
  std::vector<double> ones(dimension, 0);
  std::fill_n(ones.begin(), dimension / 2, 1.0);

  std::vector<Vector> found;
  for (std::size_t attempt = 0; found.size() < count; ++attempt) {
    if (attempt >= attempts_each * count)
      throw_error<InfeasibleError>("found {} directions in dimension {}, expected {}", found.size(),
                                   dimension, count);
    std::ranges::shuffle(ones, random);
    const Vector candidate = Eigen::Map<const Vector>(ones.data(), d);
    const auto far = [&](const Vector& other) { return (candidate - other).squaredNorm() >= least; };
    if (std::ranges::all_of(found, far)) found.push_back(candidate);
  }
  return found;
}

double hard_share(std::size_t records, std::size_t dimension, const Approx& target) {
  validate(Guarantee(target));
  const double share = 2 * std::sqrt(static_cast<double>(dimension) * std::log(1 / target.delta)) /
                       (static_cast<double>(records) * target.epsilon);
  if (!(share < 0.5))
    throw_error<InfeasibleError>(
        "the share of active records would be {:.3g}, expected below 1/2: more "
        "records or a larger epsilon are needed",
        share);
  return share;
}

HardInstance hard_instance(std::size_t records, const Vector& direction, double moment_order,
                           const Approx& target, std::mt19937_64& random) {
  if (!(moment_order > 1)) throw_error<UsageError>("the moment order is {}, expected > 1", moment_order);
  const double p = hard_share(records, static_cast<std::size_t>(direction.size()), target);
  HardInstance instance{.direction = direction, .magnitude = std::pow(p, -1 / moment_order), .active = {}};
  std::bernoulli_distribution chosen(p);
  for (std::size_t i = 0; i < records; ++i) instance.active.push_back(chosen(random));
  return instance;
}

Vector HardInstance::mean() const {
  const auto count = static_cast<double>(std::ranges::count(active, true));
  return direction * (magnitude * count / static_cast<double>(active.size()));
}

Vector HardInstance::gradient(std::size_t record, const Vector& w) const {
  if (!active.at(record)) return Vector::Zero(direction.size());
  Vector gradient = -magnitude * direction;
  if (const double norm = w.norm(); norm > 1) gradient += (2 * magnitude * direction.norm() / norm) * w;
  return gradient;
}

double HardInstance::excess_risk(const Vector& w) const {
  const Vector x = mean();
  return x.norm() * (1 + 2 * std::max(w.norm() - 1, 0.0)) - x.dot(w);
}

}  // namespace tacit::inline v1::clipping
