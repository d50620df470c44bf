#pragma once

#include <vector>

#include "solver/row_products.hpp"

namespace tacit::inline v1 {

// multiply_rows and add_outer_products for dense rows, without the intercept.
struct DenseProducts {
  void (*forward)(const RowBlock& block, const double* w, std::size_t outputs, double* z);
  void (*backward)(const RowBlock& block, const double* r, std::size_t outputs, double* sum);
};

// What this machine can run, the widest registers first. The first serves every call, so that a row gives the
// same bits whenever it is used on this machine; another machine's may differ in the last ones.
const std::vector<DenseProducts>& runnable_products();

inline const DenseProducts& dense_products() { return runnable_products().front(); }

}  // namespace tacit::inline v1
