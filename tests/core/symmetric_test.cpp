#include "core/symmetric.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tacit {
namespace {

// Its lower triangle is that of a positive definite matrix; its upper triangle belongs to no such matrix.
Matrix with_another_upper_triangle() {
  Matrix m(3, 3);
  m << 2, 50, -70,  //
      -1, 3, 90,    //
      0, -1, 3;
  return m;
}

Matrix mirrored(Matrix m) {
  for (Eigen::Index j = 0; j < m.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) m(i, j) = m(j, i);
  return m;
}

TEST(Symmetric, ReadsTheLowerTriangleAlone) {
  const Matrix m = with_another_upper_triangle(), whole = mirrored(m);
  const Vector b{{1, -2, 5}};
  EXPECT_EQ(symmetric_eigenvalues(m), symmetric_eigenvalues(whole));
  EXPECT_EQ(symmetric_eigen(m).vectors, symmetric_eigen(whole).vectors);
  EXPECT_EQ(log_determinant(m), log_determinant(whole));
  EXPECT_EQ(cholesky_solve(m, b), cholesky_solve(whole, b));
  EXPECT_EQ(pivoted_solve(m, b), pivoted_solve(whole, b));
  EXPECT_EQ(pivoted_inverse(m), pivoted_inverse(whole));
}

TEST(Symmetric, EigenvaluesAscendAndBelongToTheirVectors) {
  const Matrix m = mirrored(with_another_upper_triangle());
  const SymmetricEigen eigen = symmetric_eigen(m);
  EXPECT_LT(eigen.values[0], eigen.values[1]);
  EXPECT_LT(eigen.values[1], eigen.values[2]);
  EXPECT_LT((m * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()).norm(), 1e-13);
  EXPECT_LT((symmetric_eigenvalues(m) - eigen.values).norm(), 1e-13);
}

TEST(Symmetric, DeterminantSolutionsAndInverseAgree) {
  const Matrix m = mirrored(with_another_upper_triangle());
  const Vector b{{1, -2, 5}};
  EXPECT_NEAR(log_determinant(m), symmetric_eigenvalues(m).array().log().sum(), 1e-13);
  EXPECT_LT((m * cholesky_solve(m, b) - b).norm(), 1e-13);
  EXPECT_LT((m * pivoted_solve(m, b) - b).norm(), 1e-13);
  EXPECT_LT((pivoted_inverse(m) * m - Matrix::Identity(3, 3)).norm(), 1e-13);
}

TEST(Symmetric, OnlyPositiveDefiniteMatricesHaveACholeskyFactor) {
  Matrix m = mirrored(with_another_upper_triangle());
  EXPECT_TRUE(has_cholesky(m));
  m.diagonal().array() -= symmetric_eigenvalues(m).minCoeff() + 1e-9;
  EXPECT_FALSE(has_cholesky(m));
}

}  // namespace
}  // namespace tacit
