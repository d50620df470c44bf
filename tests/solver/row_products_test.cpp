#include "solver/row_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "solver/dense_products.hpp"

namespace tacit {
namespace {

struct Case {
  std::size_t columns, outputs, count;
  double intercept;
};
const std::vector<Case> cases = {
    {1, 1, 1, 0},    {3, 2, 5, 1},           {8, 3, block_rows, 0.5}, {17, 9, block_rows - 1, 1},
    {784, 9, 10, 1}, {33, 14, block_rows, 0}};

std::vector<double> normals(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<> normal;
  std::vector<double> values(count);
  for (double& v : values) v = normal(random);
  return values;
}

RowBlock block_of(const std::vector<double>& rows, const Case& c) {
  RowBlock block{.count = c.count, .columns = c.columns, .intercept = c.intercept};
  for (std::size_t i = 0; i < c.count; ++i) block.rows[i] = {rows.data() + i * c.columns, nullptr, c.columns};
  return block;
}

double feature(const RowBlock& block, std::size_t i, std::size_t j) {
  return j < block.columns ? block.rows[i].values[j] : block.intercept;
}

TEST(RowProducts, AreTheProductsUpToRounding) {
  for (const Case& c : cases) {
    const auto rows = normals(c.count * c.columns, 1);
    const RowBlock block = block_of(rows, c);
    const std::size_t features = block.features();
    const auto w = normals(c.outputs * features, 2), r = normals(c.count * c.outputs, 3);
    std::vector<double> z(c.count * c.outputs), sum(c.outputs * features, 0.5);
    multiply_rows(block, w.data(), c.outputs, z.data());
    add_outer_products(block, r.data(), c.outputs, sum.data());
    for (std::size_t k = 0; k < c.outputs; ++k) {
      for (std::size_t i = 0; i < c.count; ++i) {
        double expected = 0, size = 0;
        for (std::size_t j = 0; j < features; ++j) {
          expected += feature(block, i, j) * w[k * features + j];
          size += std::fabs(feature(block, i, j) * w[k * features + j]);
        }
        EXPECT_NEAR(z[i * c.outputs + k], expected, 1e-13 * size);
      }
      for (std::size_t j = 0; j < features; ++j) {
        double expected = 0.5, size = 0.5;
        for (std::size_t i = 0; i < c.count; ++i) {
          expected += r[i * c.outputs + k] * feature(block, i, j);
          size += std::fabs(r[i * c.outputs + k] * feature(block, i, j));
        }
        EXPECT_NEAR(sum[k * features + j], expected, 1e-13 * size);
      }
    }
  }
}

// Rows of size 1e8, where another order of summation would show in the last bits.
TEST(RowProducts, OfARowDoNotDependOnItsNeighboursOrItsPlace) {
  for (const Case& c : cases) {
    auto rows = normals(c.count * c.columns, 4);
    for (double& v : rows) v *= 1e8;
    const RowBlock block = block_of(rows, c);
    const auto w = normals(c.outputs * block.features(), 5);
    std::vector<double> z(c.count * c.outputs), alone(c.outputs), reversed(c.count * c.outputs);
    multiply_rows(block, w.data(), c.outputs, z.data());
    RowBlock backwards = block;
    std::reverse(backwards.rows.begin(), backwards.rows.begin() + static_cast<std::ptrdiff_t>(c.count));
    multiply_rows(backwards, w.data(), c.outputs, reversed.data());
    for (std::size_t i = 0; i < c.count; ++i) {
      RowBlock one = block;
      one.count = 1;
      one.rows[0] = block.rows[i];
      multiply_rows(one, w.data(), c.outputs, alone.data());
      for (std::size_t k = 0; k < c.outputs; ++k) {
        EXPECT_EQ(alone[k], z[i * c.outputs + k]);
        EXPECT_EQ(alone[k], reversed[(c.count - 1 - i) * c.outputs + k]);
      }
    }
  }
}

// The order of summation differs, by at most one rounding a term.
TEST(RowProducts, OfAllSetsOfInstructionsAgreeUpToRoundingAndDoNotDependOnNeighbours) {
  for (const DenseProducts& products : runnable_products())
    for (const Case& c : cases) {
      const auto rows = normals(c.count * c.columns, 8);
      const RowBlock block = block_of(rows, {c.columns, c.outputs, c.count, 0});
      const auto w = normals(c.outputs * c.columns, 9), r = normals(c.count * c.outputs, 10);
      std::vector<double> z(c.count * c.outputs), expected_z(z), alone(c.outputs);
      std::vector<double> sum(c.outputs * c.columns), expected_sum(sum);
      products.forward(block, w.data(), c.outputs, z.data());
      products.backward(block, r.data(), c.outputs, sum.data());
      runnable_products().back().forward(block, w.data(), c.outputs, expected_z.data());
      runnable_products().back().backward(block, r.data(), c.outputs, expected_sum.data());
      for (std::size_t k = 0; k < z.size(); ++k) EXPECT_NEAR(z[k], expected_z[k], 1e-12);
      for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(sum[k], expected_sum[k], 1e-12);
      RowBlock one = block;
      one.count = 1;
      one.rows[0] = block.rows[c.count - 1];
      products.forward(one, w.data(), c.outputs, alone.data());
      for (std::size_t k = 0; k < c.outputs; ++k) EXPECT_EQ(alone[k], z[(c.count - 1) * c.outputs + k]);
    }
}

TEST(RowProducts, DoNotDependOnWhatIsFetchedForLater) {
  for (const DenseProducts& products : runnable_products())
    for (const std::size_t outputs : {1u, 5u, 6u, 9u, 14u}) {
      const Case c{100, outputs, block_rows, 0};
      const auto rows = normals(c.count * c.columns, 11), later = normals(c.count * c.columns, 12);
      const auto w = normals(outputs * c.columns, 13), r = normals(c.count * outputs, 14);
      const auto both = [&](const RowBlock& block) {
        std::vector<double> z(c.count * outputs), sum(outputs * c.columns);
        products.forward(block, w.data(), outputs, z.data());
        products.backward(block, r.data(), outputs, sum.data());
        return std::pair(z, sum);
      };
      RowBlock block = block_of(rows, c);
      const auto plain = both(block);
      block.fetched = true;
      for (std::size_t i = 0; i + 3 < block_rows; ++i) block.upcoming[i] = later.data() + i * c.columns;
      EXPECT_EQ(both(block), plain);
    }
}

TEST(RowProducts, OfSparseRowsAreThoseOfDenseOnesUpToRounding) {
  const std::vector<double> values = {2, -1, 3};
  const std::vector<std::uint32_t> columns = {1, 4, 0};
  const std::vector<double> dense = {0, 2, 0, 0, -1, 3, 0, 0, 0, 0};
  RowBlock sparse{.count = 2, .columns = 5, .intercept = 1};
  sparse.rows[0] = {values.data(), columns.data(), 2};
  sparse.rows[1] = {values.data() + 2, columns.data() + 2, 1};
  const RowBlock full = block_of(dense, {5, 2, 2, 1});
  const auto w = normals(12, 6), r = normals(4, 7);
  std::vector<double> a(4), b(4), sum_a(12), sum_b(12);
  multiply_rows(sparse, w.data(), 2, a.data());
  multiply_rows(full, w.data(), 2, b.data());
  add_outer_products(sparse, r.data(), 2, sum_a.data());
  add_outer_products(full, r.data(), 2, sum_b.data());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-14);
  for (std::size_t k = 0; k < sum_a.size(); ++k) EXPECT_NEAR(sum_a[k], sum_b[k], 1e-14);
}

}  // namespace
}  // namespace tacit
