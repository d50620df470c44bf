#include <gtest/gtest.h>

#include <cmath>

#include "core/ordered_parts.hpp"
#include "solver/certified.hpp"
#include "solver/limited_objective.hpp"

namespace tacit {
namespace {

TEST(OrderedParts, CoverEverythingOnceAndJoinInOrder) {
  for (const std::size_t count : {0, 1, 5, 64, 1000, 4097})
    for (const unsigned threads : {1u, 2u, 3u, 7u, 100u}) {
      const OrderedParts parts(count, 10);
      EXPECT_LE(parts.parts, OrderedParts::most);
      std::vector<std::pair<std::size_t, std::size_t>> slots(threads), joined;
      in_order(
          parts, threads,
          [&](std::size_t begin, std::size_t end, std::size_t slot) {
            slots[slot] = {begin, end};
          },
          [&](std::size_t slot) { joined.push_back(slots[slot]); });
      ASSERT_EQ(joined.size(), parts.parts);
      std::size_t next = 0;
      for (const auto& [begin, end] : joined) {
        EXPECT_EQ(begin, next);
        next = end;
      }
      EXPECT_EQ(next, count);
    }
}

// Rows and labels of very different sizes, so that any other order of summation rounds otherwise.
Dataset uneven(std::size_t records, std::size_t columns, double classes) {
  DenseRows rows{records, columns, {}};
  Dataset data;
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t j = 0; j < columns; ++j)
      rows.values.push_back(std::sin(static_cast<double>(i * columns + j)) *
                            std::exp(std::cos(static_cast<double>(i * j))));
    data.labels.push_back(classes == 0 ? (i % 3 == 0 ? 1 : -1)
                                       : static_cast<double>(i % static_cast<std::size_t>(classes)));
  }
  data.features = Features(std::move(rows));
  return data;
}

struct Sums {
  Vector gradient, product;
  Matrix hessian;
  double slope = 0;
};

Sums sums(const Problem& problem, unsigned threads) {
  const auto p = static_cast<Eigen::Index>(shape_of(problem).parameters());
  LimitedObjective objective(problem, {.slope = 1, .curvature = 1},
                             {.strength = 1, .center = Vector::Zero(p)}, Vector::Zero(p), 1, threads);
  Vector w(p), direction(p);
  for (Eigen::Index j = 0; j < p; ++j) {
    w[j] = std::sin(static_cast<double>(j + 1));
    direction[j] = std::cos(static_cast<double>(3 * j));
  }
  Sums found;
  const bool one_output = shape_of(problem).outputs == 1;
  objective.gradient(w, found.gradient, one_output ? &found.hessian : nullptr);
  objective.curvature(direction, found.product);
  objective.prepare_line(direction);
  found.slope = objective.line_slope(0.3);
  return found;
}

TEST(OrderedSums, DoNotDependOnTheNumberOfThreads) {
  for (const bool softmax : {false, true}) {
    const Dataset data = uneven(20000, 6, softmax ? 3 : 0);
    const LossSpec loss = softmax ? LossSpec(Softmax{3}) : LossSpec(Link{LinkKind::logistic, 0});
    const Problem problem{.data = &data, .loss = loss, .intercept = 1};
    const Sums one = sums(problem, 1);
    for (const unsigned threads : {2u, 3u, 7u}) {
      const Sums many = sums(problem, threads);
      EXPECT_EQ(many.gradient, one.gradient) << threads;
      EXPECT_EQ(many.product, one.product) << threads;
      EXPECT_EQ(many.slope, one.slope) << threads;
      EXPECT_EQ(many.hessian, one.hessian) << threads;
    }
  }
}

TEST(OrderedSums, GiveTheSameMinimiser) {
  const Dataset data = uneven(20000, 4, 0);
  const Problem problem{.data = &data, .loss = Link{LinkKind::logistic, 0}, .intercept = 1};
  const auto minimiser = [&](unsigned threads) {
    LimitedObjective objective(problem, {.slope = 1, .curvature = 1},
                               {.strength = 10, .center = Vector::Zero(5)}, Vector::Zero(5), 1, threads);
    return minimise(objective, {}).point;
  };
  EXPECT_EQ(minimiser(2), minimiser(1));
  EXPECT_EQ(minimiser(5), minimiser(1));
}

}  // namespace
}  // namespace tacit
