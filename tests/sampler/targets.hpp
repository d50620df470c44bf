#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "sampler/target.hpp"

namespace tacit::testing {

// Reproducible rows and labels that a linear rule explains in part. No intercept.
inline Dataset made_data(const LossSpec& loss, std::size_t records, std::size_t features, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  DenseRows rows{records, features, std::vector<double>(records * features)};
  Dataset data;
  const bool classes = facts(std::get<Link>(loss)).classification;
  for (std::size_t i = 0; i < records; ++i) {
    double score = 0.7 * normal(random);
    for (std::size_t k = 0; k < features; ++k) {
      rows.values[i * features + k] = normal(random);
      score += rows.values[i * features + k] * (k % 2 == 0 ? 1.2 : -0.6);
    }
    data.labels.push_back(classes ? (score > 0 ? 1.0 : -1.0) : score);
  }
  data.features = Features(std::move(rows));
  data.target_kind = TargetKind::numeric;
  return data;
}

// −ln p up to a constant, plainly.
inline double plain_energy(const sampler::Target& target, const Vector& theta) {
  const Problem& problem = *target.problem;
  double sum = 0;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    const double norm = row_norm(problem.data->features.row(i), problem.intercept);
    if (norm == 0) continue;
    double s = 0;
    scores(problem, i, theta, {&s, 1});
    sum += evaluate(std::get<Link>(problem.loss),
                    limits_of_record(target.limits.slope, target.limits.curvature, norm), s,
                    problem.data->labels[i])
               .value;
  }
  return target.inverse_temperature * sum + 0.5 * target.strength * theta.squaredNorm();
}

}  // namespace tacit::testing
