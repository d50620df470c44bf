#include "data/scattering.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "data/fft2.hpp"
#include "data/morlet.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

constexpr std::size_t angles = 8, smallest = 8, largest = 512, margin = 2;

// Numbers × weights along both axes: out[u][v] = Σ rows[u][r]·x[r][c]·columns[v][c].
class LowPass {
 public:
  // For an image of height × width in the middle of a grid, seen at every `step`-th pixel of it.
  LowPass(std::size_t height, std::size_t width, std::size_t rows, std::size_t columns, std::size_t step)
      : rows_(weights(height, rows, step)), columns_(weights(width, columns, step)) {}

  void apply(const double* x, std::vector<double>& spare, double* out) const {
    const std::size_t rows = rows_.front().size(), columns = columns_.front().size();
    spare.assign(columns, 0);
    for (const std::vector<double>& row : rows_) {
      for (std::size_t c = 0; c < columns; ++c) spare[c] = 0;
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < columns; ++c) spare[c] += row[r] * x[r * columns + c];
      for (const std::vector<double>& column : columns_) {
        double sum = 0;
        for (std::size_t c = 0; c < columns; ++c) sum += column[c] * spare[c];
        *out++ = sum;
      }
    }
  }

 private:
  using Weights = std::vector<std::vector<double>>;

  static Weights weights(std::size_t image, std::size_t grid, std::size_t step) {
    Weights all;
    const auto before = static_cast<double>((grid - image) / 2);
    for (std::size_t u = 0; u < image / Scattering::stride; ++u) {
      const double center = before + static_cast<double>(Scattering::stride * u) + 1.5;  // the middle of 4
      all.push_back(low_pass(center, grid, step));
    }
    return all;
  }

  Weights rows_, columns_;
};

// |z|, number by number.
void modulus(const ComplexGrid& grid, std::vector<double>& out) {
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = std::sqrt(grid.re[k] * grid.re[k] + grid.im[k] * grid.im[k]);
}

}  // namespace

struct Scattering::Bank {
  Bank(std::size_t image_height, std::size_t image_width)
      : height(image_height),
        width(image_width),
        rows(std::bit_ceil(height + 2 * margin)),
        columns(std::bit_ceil(width + 2 * margin)),
        whole(rows, columns),
        half(rows / 2, columns / 2),
        low_whole(height, width, rows, columns, 1),
        low_half(height, width, rows, columns, 2) {
    for (int scale = 0; scale < 2; ++scale)
      for (std::size_t k = 0; k < angles; ++k) {
        const double angle = std::numbers::pi * static_cast<double>(k) / angles;
        ComplexGrid wave = Morlet{scale, angle}.on_grid(rows, columns), spare(rows * columns);
        whole.forward(wave, spare);  // real: ψ(−x) is the conjugate of ψ(x)
        for (double& value : wave.re) value /= static_cast<double>(rows * columns);
        wavelets[static_cast<std::size_t>(scale)].push_back(std::move(wave.re));
      }
  }

  std::size_t size() const { return rows * columns; }
  std::size_t cells() const { return height / stride * (width / stride); }

  void place(std::span<const double> pixels, ComplexGrid& grid) const;
  void second_order(const ComplexGrid& spectrum, double*& out) const;

  std::size_t height, width;  // of the image
  std::size_t rows, columns;  // of the grid that it lies in
  Fft2 whole, half;           // of the grid, and of every second pixel of it
  LowPass low_whole, low_half;
  std::vector<std::vector<double>> wavelets[2];  // by scale, then angle: transforms over rows·columns
};

// The image in the middle of the grid, mirrored at its edges.
void Scattering::Bank::place(std::span<const double> pixels, ComplexGrid& grid) const {
  const auto mirrored = [](std::size_t at, std::size_t before, std::size_t size) {
    const std::size_t k = (at + 2 * size * (before / size + 1) - before) % (2 * size);
    return k < size ? k : 2 * size - 1 - k;
  };
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t y = mirrored(r, (rows - height) / 2, height);
    for (std::size_t c = 0; c < columns; ++c) {
      grid.re[r * columns + c] = pixels[y * width + mirrored(c, (columns - width) / 2, width)];
      grid.im[r * columns + c] = 0;
    }
  }
}

// ||x*ψ|*ψ'| at every second pixel, for the eight ψ' of the coarser scale; `spectrum` is that of |x*ψ|.
void Scattering::Bank::second_order(const ComplexGrid& spectrum, double*& out) const {
  const std::size_t wide = rows / 2, tall = columns / 2;  // a spectrum is laid out column by column
  ComplexGrid grid(wide * tall), spare(wide * tall);
  std::vector<double> sizes(wide * tall), room;
  for (const std::vector<double>& wavelet : wavelets[1]) {
    // Taking every second pixel folds the spectrum: four frequencies fall onto one.
    for (std::size_t l = 0; l < tall; ++l)
      for (std::size_t k = 0; k < wide; ++k) {
        double re = 0, im = 0;
        for (const std::size_t at :
             {l * rows + k, l * rows + k + wide, (l + tall) * rows + k, (l + tall) * rows + k + wide}) {
          re += spectrum.re[at] * wavelet[at];
          im += spectrum.im[at] * wavelet[at];
        }
        grid.re[l * wide + k] = re;
        grid.im[l * wide + k] = im;
      }
    half.inverse(grid, spare);
    modulus(grid, sizes);
    low_half.apply(sizes.data(), room, out);
    out += cells();
  }
}

Scattering::Scattering(std::size_t height, std::size_t width) {
  for (const std::size_t size : {height, width})
    if (size < smallest || size > largest || size % stride != 0)
      throw_error<UsageError>(
          "images of {} x {} pixels, expected both multiples of {} from {} to {} for wavelet features",
          height, width, stride, smallest, largest);
  bank_ = std::make_unique<const Bank>(height, width);
}

Scattering::Scattering(Scattering&&) noexcept = default;
Scattering& Scattering::operator=(Scattering&&) noexcept = default;
Scattering::~Scattering() = default;

std::size_t Scattering::features() const { return channels * bank_->cells(); }

void Scattering::raw(std::span<const double> pixels, std::span<double> features) const {
  const Bank& bank = *bank_;
  ComplexGrid image(bank.size()), grid(bank.size()), spare(bank.size());
  std::vector<double> sizes(bank.size()), room;
  double *first = features.data() + bank.cells(), *second = first + 2 * angles * bank.cells();
  bank.place(pixels, image);
  bank.low_whole.apply(image.re.data(), room, features.data());
  bank.whole.forward(image, spare);
  for (std::size_t scale = 0; scale < 2; ++scale)
    for (const std::vector<double>& wavelet : bank.wavelets[scale]) {
      for (std::size_t k = 0; k < bank.size(); ++k) {
        grid.re[k] = image.re[k] * wavelet[k];
        grid.im[k] = image.im[k] * wavelet[k];
      }
      bank.whole.inverse(grid, spare);
      modulus(grid, sizes);
      bank.low_whole.apply(sizes.data(), room, first);
      first += bank.cells();
      if (scale > 0) continue;  // a second wavelet is coarser than the first
      grid.re = sizes;
      grid.im.assign(bank.size(), 0);
      bank.whole.forward(grid, spare);
      bank.second_order(grid, second);
    }
}

namespace {

// To mean 0 and variance 1; the small number keeps flat parts flat [heuristic: utility only].
void normalise(std::span<double> group) {
  constexpr double flat = 1e-5;
  const auto count = static_cast<double>(group.size());
  double mean = 0, variance = 0;
  for (const double x : group) mean += x / count;
  for (const double x : group) variance += (x - mean) * (x - mean) / count;
  const double scale = 1 / std::sqrt(variance + flat);
  for (double& x : group) x = (x - mean) * scale;
}

// To length 1, and not an ulp more. The margin is far above what rounding does to the sum of squares
// (γ_{d+1}, d < 2^21: below 2^-31), to the root, the quotient and the products (4u), and underflow
// (√d·2^-1075).
void scale_to_unit_length(std::span<double> features) {
  constexpr double rounding = 0x1p-30;
  double squares = 0;
  for (const double x : features) squares += x * x;
  if (!(squares >= 0x1p-900)) {  // nothing there, or too little for the margin
    std::ranges::fill(features, 0.0);
    return;
  }
  const double factor = (1 - rounding) / std::sqrt(squares);
  for (double& x : features) x *= factor;
}

}  // namespace

void Scattering::transform(std::span<const double> pixels, std::span<double> features) const {
  raw(pixels, features);
  const std::size_t group = features.size() / groups;
  for (std::size_t g = 0; g < groups; ++g) normalise(features.subspan(g * group, group));
  scale_to_unit_length(features);
}

}  // namespace tacit::inline v1
