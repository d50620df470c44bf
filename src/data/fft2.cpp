#include "data/fft2.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace tacit::inline v1 {
namespace {

// lo = a + b, hi = (a − b)·w for `count` numbers.
void butterflies(const double* a_re, const double* a_im, const double* b_re, const double* b_im, double w_re,
                 double w_im, double* __restrict lo_re, double* __restrict lo_im, double* __restrict hi_re,
                 double* __restrict hi_im, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const double re = a_re[k] - b_re[k], im = a_im[k] - b_im[k];
    lo_re[k] = a_re[k] + b_re[k];
    lo_im[k] = a_im[k] + b_im[k];
    hi_re[k] = re * w_re - im * w_im;
    hi_im[k] = re * w_im + im * w_re;
  }
}

void transpose(const std::vector<double>& from, std::size_t rows, std::size_t columns,
               std::vector<double>& to) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
}

}  // namespace

Fft2::Fft2(std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), of_rows_(twiddles(rows)), of_columns_(twiddles(columns)) {}

Fft2::Twiddles Fft2::twiddles(std::size_t size) {
  Twiddles w(size);
  for (std::size_t k = 0; k < size / 2; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
    w[2 * k] = std::cos(angle);
    w[2 * k + 1] = std::sin(angle);
  }
  return w;
}

// Stockham's algorithm over the first index [Van Loan, Computational Frameworks for the FFT, 1992, section
// 1.7]: every step takes whole rows, so that its inner loop runs over neighbours in memory.
void Fft2::columns_pass(const Twiddles& w, std::size_t size, std::size_t width, double sign,
                        ComplexGrid& grid, ComplexGrid& spare) {
  for (std::size_t half = size / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
    const std::size_t count = stride * width;
    for (std::size_t p = 0; p < half; ++p) {
      const std::size_t a = p * count, b = (p + half) * count, lo = 2 * p * count, hi = lo + count;
      const double w_re = w[2 * p * stride], w_im = sign * w[2 * p * stride + 1];
      butterflies(grid.re.data() + a, grid.im.data() + a, grid.re.data() + b, grid.im.data() + b, w_re, w_im,
                  spare.re.data() + lo, spare.im.data() + lo, spare.re.data() + hi, spare.im.data() + hi,
                  count);
    }
    std::swap(grid, spare);
  }
}

void Fft2::forward(ComplexGrid& grid, ComplexGrid& spare) const {
  columns_pass(of_rows_, rows_, columns_, -1, grid, spare);
  transpose(grid.re, rows_, columns_, spare.re);
  transpose(grid.im, rows_, columns_, spare.im);
  std::swap(grid, spare);
  columns_pass(of_columns_, columns_, rows_, -1, grid, spare);
}

void Fft2::inverse(ComplexGrid& grid, ComplexGrid& spare) const {
  columns_pass(of_columns_, columns_, rows_, 1, grid, spare);
  transpose(grid.re, columns_, rows_, spare.re);
  transpose(grid.im, columns_, rows_, spare.im);
  std::swap(grid, spare);
  columns_pass(of_rows_, rows_, columns_, 1, grid, spare);
}

}  // namespace tacit::inline v1
