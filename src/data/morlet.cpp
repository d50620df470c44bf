#include "data/morlet.hpp"

#include <cmath>
#include <numbers>

namespace tacit::inline v1 {
namespace {

constexpr int angles = 8, periods = 3;  // a wavelet's envelope is far below rounding beyond three periods
constexpr double width = 0.8, slant = 4.0 / angles, peak = 3 * std::numbers::pi / 4;
constexpr double low_pass_width = 2 * width;  // 0.8·2^(J−1), J = 2

}  // namespace

ComplexGrid Morlet::on_grid(std::size_t rows, std::size_t columns) const {
  const double sigma = std::ldexp(width, scale), xi = std::ldexp(peak, -scale);
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const auto height = static_cast<double>(rows), breadth = static_cast<double>(columns);
  ComplexGrid wave(rows * columns);
  std::vector<double> envelope(rows * columns);
  double wave_re = 0, wave_im = 0, envelope_sum = 0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      for (int a = -periods; a <= periods; ++a)
        for (int b = -periods; b <= periods; ++b) {
          const double y = static_cast<double>(r) + a * height, x = static_cast<double>(c) + b * breadth;
          const double along = cosine * x + sine * y, across = slant * (cosine * y - sine * x);
          const double size = slant / (2 * std::numbers::pi * sigma * sigma) *
                              std::exp(-(along * along + across * across) / (2 * sigma * sigma));
          wave.re[r * columns + c] += size * std::cos(xi * along);
          wave.im[r * columns + c] += size * std::sin(xi * along);
          envelope[r * columns + c] += size;
        }
  for (std::size_t k = 0; k < envelope.size(); ++k)
    wave_re += wave.re[k], wave_im += wave.im[k], envelope_sum += envelope[k];
  for (std::size_t k = 0; k < envelope.size(); ++k) {
    wave.re[k] -= wave_re / envelope_sum * envelope[k];
    wave.im[k] -= wave_im / envelope_sum * envelope[k];
  }
  return wave;
}

std::vector<double> low_pass(double center, std::size_t size, std::size_t step) {
  std::vector<double> weights(size / step);
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    for (int a = -periods; a <= periods; ++a) {
      const double x = static_cast<double>(k * step) - center + a * static_cast<double>(size);
      weights[k] += std::exp(-x * x / (2 * low_pass_width * low_pass_width));
    }
    sum += weights[k];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace tacit::inline v1
