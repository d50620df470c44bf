#include "data/scattering.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <thread>
#include <vector>

#include "tacit/core.hpp"

namespace tacit {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

// The definition, computed directly and slowly: every convolution as a double sum over the grid.
class Reference {
 public:
  Reference(std::size_t height, std::size_t width, std::size_t rows, std::size_t columns)
      : height_(height), width_(width), rows_(rows), columns_(columns) {}

  std::vector<double> features(const std::vector<double>& pixels) const {
    const std::vector<double> x = on_grid(pixels);
    std::vector<double> order0, order1, order2;
    smooth(x, 1, order0);
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 8; ++k) {
        const std::vector<double> first = convolved(x, wavelet(j, k * pi / 8), 1);
        smooth(first, 1, order1);
        for (int l = 0; j == 0 && l < 8; ++l) smooth(convolved(first, wavelet(1, l * pi / 8), 2), 2, order2);
      }
    order0.insert(order0.end(), order1.begin(), order1.end());
    order0.insert(order0.end(), order2.begin(), order2.end());
    return order0;
  }

 private:
  static std::size_t mirrored(std::ptrdiff_t at, std::size_t size) {
    const auto n = static_cast<std::ptrdiff_t>(size);
    while (at < 0 || at >= n) at = at < 0 ? -1 - at : 2 * n - 1 - at;
    return static_cast<std::size_t>(at);
  }

  std::vector<double> on_grid(const std::vector<double>& pixels) const {
    std::vector<double> x;
    const auto top = static_cast<std::ptrdiff_t>((rows_ - height_) / 2),
               left = static_cast<std::ptrdiff_t>((columns_ - width_) / 2);
    for (std::ptrdiff_t r = 0; r < static_cast<std::ptrdiff_t>(rows_); ++r)
      for (std::ptrdiff_t c = 0; c < static_cast<std::ptrdiff_t>(columns_); ++c)
        x.push_back(pixels[mirrored(r - top, height_) * width_ + mirrored(c - left, width_)]);
    return x;
  }

  // ψ at whole offsets, wrapped around the grid, minus the multiple of its envelope that makes it sum to 0.
  std::vector<Complex> wavelet(int j, double angle) const {
    const double sigma = 0.8 * std::pow(2, j), xi = 0.75 * pi / std::pow(2, j), slant = 0.5;
    std::vector<Complex> wave(rows_ * columns_);
    std::vector<double> envelope(rows_ * columns_);
    const int far = 64;
    for (int y = -far; y < far; ++y)
      for (int x = -far; x < far; ++x) {
        const double u = x * std::cos(angle) + y * std::sin(angle),
                     v = y * std::cos(angle) - x * std::sin(angle);
        const double size = slant / (2 * pi * sigma * sigma) *
                            std::exp(-(u * u + slant * slant * v * v) / (2 * sigma * sigma));
        const std::size_t at = static_cast<std::size_t>(y + far) % rows_ * columns_ +
                               static_cast<std::size_t>(x + far) % columns_;
        wave[at] += size * std::polar(1.0, xi * u);
        envelope[at] += size;
      }
    Complex sum = 0;
    double total = 0;
    for (std::size_t k = 0; k < wave.size(); ++k) sum += wave[k], total += envelope[k];
    for (std::size_t k = 0; k < wave.size(); ++k) wave[k] -= sum / total * envelope[k];
    return wave;
  }

  // |x*ψ| at every `step`-th pixel.
  std::vector<double> convolved(const std::vector<double>& x, const std::vector<Complex>& wave,
                                std::size_t step) const {
    std::vector<double> sizes;
    for (std::size_t r = 0; r < rows_; r += step)
      for (std::size_t c = 0; c < columns_; c += step) {
        Complex sum = 0;
        for (std::size_t y = 0; y < rows_; ++y)
          for (std::size_t z = 0; z < columns_; ++z)
            sum += x[y * columns_ + z] *
                   wave[(r + rows_ - y) % rows_ * columns_ + (c + columns_ - z) % columns_];
        sizes.push_back(std::abs(sum));
      }
    return sizes;
  }

  static double bell(double center, std::size_t at, std::size_t size) {
    double sum = 0;
    for (int period = -4; period <= 4; ++period) {
      const double d = static_cast<double>(at) - center + period * static_cast<double>(size);
      sum += std::exp(-d * d / (2 * 1.6 * 1.6));
    }
    return sum;
  }

  // A Gaussian average around the middle of every 4 × 4 pixels, from every `step`-th pixel.
  void smooth(const std::vector<double>& x, std::size_t step, std::vector<double>& out) const {
    const double top = static_cast<double>((rows_ - height_) / 2),
                 left = static_cast<double>((columns_ - width_) / 2);
    for (std::size_t u = 0; u < height_ / 4; ++u)
      for (std::size_t v = 0; v < width_ / 4; ++v) {
        double sum = 0, total = 0;
        std::size_t k = 0;
        for (std::size_t r = 0; r < rows_; r += step)
          for (std::size_t c = 0; c < columns_; c += step, ++k) {
            const double weight = bell(top + 4 * static_cast<double>(u) + 1.5, r, rows_) *
                                  bell(left + 4 * static_cast<double>(v) + 1.5, c, columns_);
            sum += weight * x[k];
            total += weight;
          }
        out.push_back(sum / total);
      }
  }

  std::size_t height_, width_, rows_, columns_;
};

std::vector<double> random_image(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> pixels(size);
  for (double& p : pixels) p = static_cast<double>(random() % 256) / 255;
  return pixels;
}

std::vector<double> transformed(const Scattering& scattering, const std::vector<double>& pixels) {
  std::vector<double> features(scattering.features());
  scattering.transform(pixels, features);
  return features;
}

long double length(const std::vector<double>& features) {
  long double squares = 0;
  for (const double x : features) squares += static_cast<long double>(x) * static_cast<long double>(x);
  return std::sqrt(squares);
}

TEST(Scattering, AgreesWithDirectConvolutions) {
  const std::size_t height = 12, width = 20;  // in a grid of 16 × 32
  const auto pixels = random_image(height * width, 1);
  const Scattering scattering(height, width);
  std::vector<double> fast(scattering.features());
  ASSERT_EQ(fast.size(), 81u * 3 * 5);
  scattering.raw(pixels, fast);
  const auto slow = Reference(height, width, 16, 32).features(pixels);
  ASSERT_EQ(slow.size(), fast.size());
  for (std::size_t k = 0; k < slow.size(); ++k) EXPECT_NEAR(fast[k], slow[k], 1e-12) << k;
}

TEST(Scattering, GroupsAreCenteredAndTheWholeHasLengthOne) {
  const Scattering scattering(28, 28);
  ASSERT_EQ(scattering.features(), 3969u);
  const auto features = transformed(scattering, random_image(784, 2));
  for (std::size_t g = 0; g < Scattering::groups; ++g) {
    double mean = 0;
    for (std::size_t k = 0; k < 147; ++k) mean += features[g * 147 + k];
    EXPECT_NEAR(mean, 0, 1e-12);
  }
  EXPECT_NEAR(static_cast<double>(length(features)), 1, 1e-8);
}

// The bound that privacy rests on holds for the numbers as stored, whatever the image.
TEST(Scattering, NoImageIsLongerThanOne) {
  const Scattering scattering(16, 12);
  std::vector<std::vector<double>> images{std::vector<double>(192, 0.0), std::vector<double>(192, 1.0),
                                          std::vector<double>(192, 1e-200), std::vector<double>(192, 5e-324)};
  for (std::size_t k = 0; k < 192; k += 13) {  // a single lit pixel, bright or all but dark
    for (const double size : {1.0, 1 / 255.0, 1e-160, 5e-324}) {
      images.emplace_back(192, 0.0);
      images.back()[k] = size;
    }
  }
  for (unsigned seed = 0; seed < 300; ++seed) images.push_back(random_image(192, seed));
  for (const auto& image : images) {
    const auto features = transformed(scattering, image);
    EXPECT_LE(length(features), 1.0L);
    for (const double x : features) ASSERT_TRUE(std::isfinite(x));
  }
}

// A record's features are a function of that record alone, to the last bit.
TEST(Scattering, AnImageHasTheSameFeaturesInAnyCompany) {
  const Scattering scattering(28, 28), other(28, 28);
  const auto image = random_image(784, 3);
  const auto alone = transformed(scattering, image);
  transformed(scattering, random_image(784, 4));
  EXPECT_EQ(transformed(scattering, image), alone);
  EXPECT_EQ(transformed(other, image), alone);
  std::vector<double> beside;
  std::thread busy([&] { beside = transformed(scattering, image); });
  transformed(scattering, random_image(784, 5));
  busy.join();
  EXPECT_EQ(beside, alone);
}

TEST(Scattering, SizesThatDoNotFitAreRefused) {
  for (const std::size_t size : {0, 4, 27, 30, 516}) {
    EXPECT_THROW(Scattering(size, 28), UsageError);
    EXPECT_THROW(Scattering(28, size), UsageError);
  }
}

}  // namespace
}  // namespace tacit
