#include "tacit/data.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tacit/core.hpp"

namespace tacit {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Features, RowsOfBothKindsAreViews) {
  const Features dense(DenseRows{2, 2, {1, 2, 3, 4}});
  EXPECT_EQ(dense.row(1).values[0], 3);
  EXPECT_EQ(dense.row(1).columns, nullptr);
  EXPECT_EQ(dense.row(1).size, 2u);
  EXPECT_FALSE(dense.sparse());

  const Features sparse(SparseRows{2, 5, {0, 0, 2}, {1, 4}, {7, 8}});
  EXPECT_EQ(sparse.row(0).size, 0u);
  EXPECT_EQ(sparse.row(1).size, 2u);
  EXPECT_EQ(sparse.row(1).columns[1], 4u);
  EXPECT_EQ(sparse.row(1).values[1], 8);
  EXPECT_TRUE(sparse.sparse());
}

TEST(Features, AViewReadsTheOwnersMemoryAndKeepsItAlive) {
  const auto owner = std::make_shared<const std::vector<double>>(std::vector<double>{1, 2, 3, 4, 5, 6});
  {
    const Features view(DenseView{3, 2, owner->data(), owner});
    const Features copy = view;
    EXPECT_EQ(copy.row(2).values, owner->data() + 4);
    EXPECT_EQ(copy.row(2).columns, nullptr);
    EXPECT_EQ(copy.row(2).size, 2u);
    EXPECT_FALSE(copy.sparse());
    EXPECT_EQ(owner.use_count(), 3);
  }
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(Features, OnlyFiniteValuesAreHeld) {
  for (const double bad : {nan, infinity, -infinity}) {
    EXPECT_THROW(Features(DenseView{1, 1, &bad, nullptr}), DataError);
    EXPECT_THROW(Features(DenseRows{1, 2, {0, bad}}), DataError);
    EXPECT_THROW(Features(SparseRows{1, 2, {0, 1}, {0}, {bad}}), DataError);
  }
}

TEST(Features, ArraysThatDoNotFitAreRefused) {
  EXPECT_THROW(Features(DenseRows{2, 2, {1, 2, 3}}), DataError);
  EXPECT_THROW(Features(SparseRows{2, 5, {0, 1}, {0}, {1}}), DataError);
  EXPECT_THROW(Features(SparseRows{1, 5, {1, 1}, {0}, {1}}), DataError);
  EXPECT_THROW(Features(SparseRows{1, 5, {0, 2}, {0}, {1}}), DataError);
  EXPECT_THROW(Features(SparseRows{2, 5, {0, 2, 1}, {0}, {1}}), DataError);
  EXPECT_THROW(Features(SparseRows{1, 5, {0, 1}, {5}, {1}}), DataError);
  EXPECT_THROW(Features(SparseRows{1, 5, {0, 2}, {3, 3}, {1, 1}}), DataError);
  EXPECT_THROW(Features(SparseRows{1, 5, {0, 2}, {3, 1}, {1, 1}}), DataError);
}

}  // namespace
}  // namespace tacit
