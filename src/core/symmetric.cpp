#include "core/symmetric.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace tacit::inline v1 {

SymmetricEigen symmetric_eigen(const Matrix& m) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(m);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vector symmetric_eigenvalues(const Matrix& m) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(m, Eigen::EigenvaluesOnly).eigenvalues();
}

bool has_cholesky(const Matrix& m) { return Eigen::LLT<Matrix>(m).info() == Eigen::Success; }

double log_determinant(const Matrix& m) {
  return 2 * Eigen::LLT<Matrix>(m).matrixLLT().diagonal().array().log().sum();
}

Vector cholesky_solve(const Matrix& m, const Vector& b) { return Eigen::LLT<Matrix>(m).solve(b); }

Vector pivoted_solve(const Matrix& m, const Vector& b) { return Eigen::LDLT<Matrix>(m).solve(b); }

Matrix pivoted_inverse(const Matrix& m) {
  return Eigen::LDLT<Matrix>(m).solve(Matrix::Identity(m.rows(), m.cols()));
}

}  // namespace tacit::inline v1
