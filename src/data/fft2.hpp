#pragma once

#include <cstddef>
#include <vector>

namespace tacit::inline v1 {

// Complex numbers on a grid, row by row, real and imaginary parts apart.
struct ComplexGrid {
  ComplexGrid() = default;
  explicit ComplexGrid(std::size_t size) : re(size), im(size) {}
  std::vector<double> re, im;
};

// Two-dimensional discrete Fourier transforms of rows × columns numbers, both powers of two. The transform of
// a grid is laid out column by column, and the inverse takes it so. The order of operations is fixed.
class Fft2 {
 public:
  Fft2(std::size_t rows, std::size_t columns);

  // X[l][k] = Σ x[r][c]·exp(−2πi(kr/rows + lc/columns)). Overwrites `grid`; `spare` is as large.
  void forward(ComplexGrid& grid, ComplexGrid& spare) const;
  // The inverse without its factor 1/(rows·columns).
  void inverse(ComplexGrid& grid, ComplexGrid& spare) const;

 private:
  using Twiddles = std::vector<double>;  // cos and sin, one after the other
  static Twiddles twiddles(std::size_t size);
  static void columns_pass(const Twiddles& w, std::size_t size, std::size_t width, double sign,
                           ComplexGrid& grid, ComplexGrid& spare);

  std::size_t rows_, columns_;
  Twiddles of_rows_, of_columns_;
};

}  // namespace tacit::inline v1
