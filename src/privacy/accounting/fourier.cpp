#include "tacit/privacy/accounting/fourier.hpp"

#include <fftw3.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>

#include "tacit/core/rounding.hpp"

namespace tacit::inline v1::pld {

namespace {

using Complex = std::complex<double>;

// FFTW's planner is not thread-safe; its transforms are.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

template <class T>
struct Buffer {
  explicit Buffer(std::size_t size) : data(static_cast<T*>(fftw_malloc(size * sizeof(T)))) {
    if (data == nullptr) throw std::bad_alloc();
  }
  ~Buffer() { fftw_free(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data;
};

class Plan {
 public:
  explicit Plan(fftw_plan plan) : plan_(plan) {
    if (plan_ == nullptr) throw std::bad_alloc();
  }
  ~Plan() {
    const std::lock_guard lock(planner());
    fftw_destroy_plan(plan_);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  void run() const { fftw_execute(plan_); }

 private:
  fftw_plan plan_;
};

fftw_complex* raw(Complex* z) { return reinterpret_cast<fftw_complex*>(z); }

// Without the checks for infinities that std::complex's product makes. Relative error < 4u [Brent, Percival &
// Zimmermann 2007: sqrt(5) u].
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// n−1 products deep in the sense of error: relative error <= (1+4u)^n − 1.
Complex power(Complex base, std::uint64_t n) {
  Complex result = 1;
  for (; n != 0; n >>= 1) {
    if (n & 1) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

double sum_of(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum;
}

// Frequencies at which the product is below this are left out, and their bound is added to the error.
constexpr double negligible_exponent = -100;

}  // namespace

double transform_error(std::size_t size) {
  return 16 * unit_roundoff * static_cast<double>(std::bit_width(size));
}

std::size_t transform_size(std::size_t least) {
  std::size_t size = std::bit_ceil(least);
  for (const std::size_t candidate : {size / 8 * 5, size / 4 * 3})
    if (candidate >= least && candidate >= 64) return candidate;
  return size;
}

Convolution convolve(std::span<const Factor> factors) {
  const std::size_t size = factors.front().mass.size(), half = size / 2 + 1;
  const double length = static_cast<double>(size);
  Buffer<double> real(size);
  std::vector<std::unique_ptr<Buffer<Complex>>> spectra;
  std::vector<double> spectrum_errors, cutoffs;
  double total_count = 0;
  for (const Factor& factor : factors) {
    spectra.push_back(std::make_unique<Buffer<Complex>>(half));
    std::unique_lock lock(planner());
    const Plan forward(
        fftw_plan_dft_r2c_1d(static_cast<int>(size), real.data, raw(spectra.back()->data), FFTW_ESTIMATE));
    lock.unlock();
    std::ranges::copy(factor.mass, real.data);
    forward.run();
    spectrum_errors.push_back(1.01 * transform_error(size) * sum_of(factor.mass));
    cutoffs.push_back(std::exp(negligible_exponent / factor.count));
    total_count += factor.count;
  }

  // With r_i >= |φ_i| for both the exact and the computed φ_i:
  //   |Π φ̂_i^{n_i} − Π φ_i^{n_i}| <= Σ_i n_i |φ̂_i − φ_i| Π_l r_l^{n_l} / r_i.
  Complex* const product = spectra.front()->data;
  std::vector<double> moduli(factors.size());
  double of_spectra = 0, sum_of_moduli = 0;
  for (std::size_t k = 0; k < half; ++k) {
    const double weight = k == 0 || 2 * k == size ? 1 : 2;  // a real signal's other half is its mirror image
    double log_product = 0;
    for (std::size_t i = 0; i < factors.size() && log_product >= negligible_exponent; ++i) {
      moduli[i] = std::sqrt(std::norm(spectra[i]->data[k])) * (1 + 4 * unit_roundoff) + spectrum_errors[i];
      // far below there is no need of its logarithm
      log_product +=
          moduli[i] < cutoffs[i] ? negligible_exponent - 1 : factors[i].count * std::log(moduli[i]);
    }
    if (log_product < negligible_exponent) {
      product[k] = 0;
      of_spectra += weight * std::exp(negligible_exponent);
      continue;
    }
    Complex z = 1;
    const double bound = std::exp(log_product);
    for (std::size_t i = 0; i < factors.size(); ++i) {
      z = times(z, power(spectra[i]->data[k], static_cast<std::uint64_t>(factors[i].count)));
      of_spectra += weight * factors[i].count * spectrum_errors[i] * bound / moduli[i];
    }
    product[k] = z;
    sum_of_moduli += weight * std::sqrt(std::norm(z));
  }
  const double of_powers =
      sum_of_moduli * std::expm1(4 * unit_roundoff * (total_count + 4 * static_cast<double>(factors.size())));

  Convolution result{.mass = std::vector<double>(size), .error = 0};
  std::unique_lock lock(planner());
  const Plan backward(fftw_plan_dft_c2r_1d(static_cast<int>(size), raw(product), real.data, FFTW_ESTIMATE));
  lock.unlock();
  backward.run();
  double most = 0;
  for (std::size_t k = 0; k < size; ++k) {
    result.mass[k] = real.data[k] / length;
    most = std::fmax(most, std::fabs(result.mass[k]));
  }
  const double of_backward = transform_error(size) * sum_of_moduli;
  result.error = 1.01 * ((of_powers + of_spectra + of_backward) / length + 2 * unit_roundoff * most);
  return result;
}

}  // namespace tacit::inline v1::pld
