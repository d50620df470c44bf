#include "experiments/support/hard_instance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "tacit/core.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

// p of Proposition G.4.
double packing_rate(std::size_t dimension, const HardOptions& options) {
  const double members = std::exp2(static_cast<double>(dimension));
  const double ratio = (members - 1) / (4 * std::numbers::e * options.failure);
  if (!(ratio > 1))
    throw_error<UsageError>(
        "dimension {} with failure {} makes no packing instance: 2^d - 1 must be above 4e times it",
        dimension, options.failure);
  return std::min(1.0, std::log(ratio) / (static_cast<double>(options.records) * options.epsilon));
}

}  // namespace

void HardOptions::validate() const {
  if (records == 0) throw_error<UsageError>("records is 0, expected at least 1");
  if (!(epsilon > 0 && epsilon <= 1)) throw_error<UsageError>("epsilon is {}, expected in (0, 1]", epsilon);
  if (!(failure > 0 && failure <= 0.25))
    throw_error<UsageError>("failure is {}, expected in (0, 1/4]", failure);
  if (!(moment > 0 && order >= 2 && diameter > 0))
    throw_error<UsageError>("moment {}, order {}, diameter {}: expected > 0, >= 2, > 0", moment, order,
                            diameter);
}

HardInstance packing_instance(const Vector& direction, const HardOptions& options) {
  options.validate();
  const double p = packing_rate(static_cast<std::size_t>(direction.size()), options);
  const double a = options.moment * std::pow(p, -1 / options.order);
  return {Vector::Zero(direction.size()), a * direction.normalized(), p, options.diameter};
}

double ShiftedInstance::radius() const { return std::hypot(0.5 * packing.diameter, place); }

Vector ShiftedInstance::minimiser() const {
  const Vector u = packing.minimiser();
  Vector w(u.size() + 1);
  w << u, place;
  return w;
}

double ShiftedInstance::excess_risk(const Vector& w) const {
  const Eigen::Index d = packing.far.size();
  return (1 - packing.rate) * weight * std::fabs(w[d] - place) + packing.excess_risk(w.head(d));
}

ShiftedInstance shifted_instance(const Vector& direction, const HardOptions& options) {
  const ShiftedInstance made{packing_instance(direction, options), options.moment, 0.5 * options.diameter};
  // One unit less of s costs (1 − p)G and lets u be s₀/(D/2) = 1 longer.
  if (!(made.packing.mean().norm() <= (1 - made.packing.rate) * made.weight))
    throw_error<UsageError>(
        "{} records are too few for a shifted instance: the packing's mean {:.3g} is above {:.3g}",
        options.records, made.packing.mean().norm(), (1 - made.packing.rate) * made.weight);
  return made;
}

HardInstance two_point_instance(std::size_t dimension, const HardOptions& options) {
  options.validate();
  const double n = static_cast<double>(options.records), zeta = options.failure;
  const double rho = std::min(0.5, std::sqrt(std::log(1 / (4 * zeta * (1 - zeta))) / (4 * n)));
  const Vector e = options.moment * Vector::Unit(static_cast<Eigen::Index>(dimension), 0);
  return {-e, e, (1 + rho) / 2, options.diameter};
}

// Means of two members are ≥ ‖μ‖/2 apart, so that an estimate within r < ‖μ‖/4 tells them; and the excess
// risk is ≥ D/(8‖μ‖)·r² [Lemma G.1].
double packing_lower_bound(std::size_t dimension, const HardOptions& options) {
  options.validate();
  const double p = packing_rate(dimension, options);
  return options.diameter * options.moment * std::pow(p, 1 - 1 / options.order) / 128;
}

Dataset sample(const HardInstance& instance, std::size_t records, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::bernoulli_distribution is_far(instance.rate);
  const auto d = static_cast<std::size_t>(instance.far.size());
  DenseRows rows{records, d, {}};
  rows.values.reserve(records * d);
  for (std::size_t i = 0; i < records; ++i) {
    const Vector& z = is_far(random) ? instance.far : instance.near;
    rows.values.insert(rows.values.end(), z.data(), z.data() + z.size());
  }
  Dataset data;
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::numeric;
  const double reach = std::max(instance.far.norm(), instance.near.norm()) * instance.diameter;
  data.labels.assign(records, -1e6 * reach);
  return data;
}

Dataset sample(const ShiftedInstance& instance, std::size_t records, std::uint64_t seed) {
  const Dataset packing = sample(instance.packing, records, seed);
  const std::size_t d = packing.features.columns();
  DenseRows rows{records, d + 1, {}};
  Dataset data;
  data.target_kind = TargetKind::numeric;
  for (std::size_t i = 0; i < records; ++i) {
    const double* z = packing.features.row(i).values;
    const bool is_far = std::any_of(z, z + d, [](double x) { return x != 0; });
    rows.values.insert(rows.values.end(), z, z + d);
    rows.values.push_back(is_far ? 0 : instance.weight);
    data.labels.push_back(is_far ? packing.labels[i] : instance.weight * instance.place);
  }
  data.features = Features(std::move(rows));
  return data;
}

}  // namespace tacit::inline v1::heavy_tails
