#pragma once

#include "tacit/core.hpp"

// What is asked of symmetric matrices. Eigen's templates for it are the slowest to compile of all that this
// library uses: they are made in one place. Each function reads the lower triangle alone, and rounds: what
// privacy rests on is bounded by the caller.
namespace tacit::inline v1 {

struct SymmetricEigen {
  Vector values;   // ascending
  Matrix vectors;  // as columns, in the order of the values
};
SymmetricEigen symmetric_eigen(const Matrix& m);

Vector symmetric_eigenvalues(const Matrix& m);  // ascending

// Whether Cholesky's factorisation went through, in doubles.
bool has_cholesky(const Matrix& m);

// ln det m, of a positive definite matrix.
double log_determinant(const Matrix& m);

// The x with m·x = b, of a positive definite matrix.
Vector cholesky_solve(const Matrix& m, const Vector& b);

// The same where m need not be well conditioned, and all columns of it at once.
Vector pivoted_solve(const Matrix& m, const Vector& b);
Matrix pivoted_inverse(const Matrix& m);

}  // namespace tacit::inline v1
