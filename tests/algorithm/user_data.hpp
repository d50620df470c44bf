#pragma once

#include <random>

#include "tacit/data.hpp"
#include "tacit/problem.hpp"

namespace tacit::testing {

// Users with `each` records of `columns` features in the unit ball and labels ±1 that a line tells apart,
// but for noise.
inline Dataset users_with_a_line(std::size_t users, std::size_t each, std::size_t columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  Dataset data;
  DenseRows rows{users * each, columns, {}};
  for (std::size_t u = 0; u < users; ++u)
    for (std::size_t k = 0; k < each; ++k) {
      double squares = 0;
      const std::size_t first = rows.values.size();
      for (std::size_t j = 0; j < columns; ++j) {
        rows.values.push_back(normal(random));
        squares += rows.values.back() * rows.values.back();
      }
      for (std::size_t j = first; j < rows.values.size(); ++j) rows.values[j] /= std::sqrt(squares);
      data.labels.push_back(rows.values[first] + 0.2 * normal(random) > 0 ? 1 : -1);
      data.users.push_back(static_cast<std::uint32_t>(u));
    }
  data.user_count = users;
  data.target_kind = TargetKind::numeric;
  data.features = Features(std::move(rows));
  return data;
}

inline double accuracy(const Problem& problem, const Vector& w) {
  double right = 0, z = 0;
  for (std::size_t i = 0; i < problem.data->size(); ++i) {
    scores(problem, i, w, {&z, 1});
    right += (z > 0) == (problem.data->labels[i] > 0);
  }
  return right / static_cast<double>(problem.data->size());
}

}  // namespace tacit::testing
