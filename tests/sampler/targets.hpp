#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "loss/softmax.hpp"
#include "sampler/target.hpp"

namespace tacit::testing {

// Reproducible rows and labels that a linear rule explains in part. No intercept.
inline Dataset made_data(const LossSpec& loss, std::size_t records, std::size_t features, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  DenseRows rows{records, features, std::vector<double>(records * features)};
  Dataset data;
  const auto* link = std::get_if<Link>(&loss);
  const bool classes = link && facts(*link).classification;
  for (std::size_t i = 0; i < records; ++i) {
    double score = 0.7 * normal(random);
    for (std::size_t k = 0; k < features; ++k) {
      rows.values[i * features + k] = normal(random);
      score += rows.values[i * features + k] * (k % 2 == 0 ? 1.2 : -0.6);
    }
    data.labels.push_back(classes ? (score > 0 ? 1.0 : -1.0) : score);
    if (const auto* softmax = std::get_if<Softmax>(&loss))  // classes by intervals of the score
      data.labels.back() = std::clamp(std::floor(score + 0.5 * static_cast<double>(softmax->classes)), 0.0,
                                      static_cast<double>(softmax->classes - 1));
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
    if (const auto* softmax = std::get_if<Softmax>(&problem.loss)) {
      const SoftmaxLoss one(softmax->classes);
      std::vector<double> z(one.outputs());
      scores(problem, i, theta, z);
      sum += SoftmaxLoss::weight(target.limits.slope, target.limits.curvature, norm) *
             one.value(z, static_cast<std::size_t>(problem.data->labels[i]));
      continue;
    }
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
