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

TEST(Features, SizesWhoseProductNoMemoryHoldsAreRefused) {
  const std::size_t half = std::size_t{1} << 63, root = std::size_t{1} << 32;
  EXPECT_THROW(Features(DenseRows{half, 2, {}}), DataError);
  EXPECT_THROW(Features(DenseRows{root, root, {}}), DataError);
  EXPECT_THROW(Features(DenseView{root, root, nullptr, nullptr}), DataError);
  EXPECT_EQ(Features(DenseRows{5, 0, {}}).rows(), 5U) << "no columns need no memory";
}

TEST(Features, WhatIsNotThereIsRefused) {
  EXPECT_THROW(Features(DenseView{5, 1, nullptr, nullptr}), DataError);
  EXPECT_THROW(Features(std::shared_ptr<const RowMaker>()), DataError);
  EXPECT_NO_THROW(Features(DenseView{0, 1, nullptr, nullptr}));
}

TEST(Features, WhatWasMovedFromHasNoRows) {
  Features from(DenseRows{2, 2, {1, 2, 3, 4}});
  Features to = std::move(from);
  EXPECT_EQ(to.row(1).values[0], 3);
  EXPECT_EQ(from.rows(), 0U);
  EXPECT_EQ(from.columns(), 0U);
  from = std::move(to);
  EXPECT_EQ(from.row(1).values[1], 4);
  EXPECT_EQ(to.rows(), 0U);
}

TEST(Features, RowsThatAreStoredAnotherWayAreAUsageError) {
  const Features dense(DenseRows{1, 1, {1}}), sparse(SparseRows{.rows = 1, .columns = 1, .start = {0, 0}});
  EXPECT_THROW(dense.sparse_rows(), UsageError);
  EXPECT_THROW(sparse.dense_rows(), UsageError);
  EXPECT_EQ(dense.dense_rows().values.size(), 1U);
}

}  // namespace
}  // namespace tacit
