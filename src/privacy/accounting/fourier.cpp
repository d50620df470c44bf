#include "tacit/privacy/accounting/fourier.hpp"

#include <fftw3.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>

#include "tacit/core/rounding.hpp"

namespace tacit::inline v1::pld {

namespace {

// FFTW's planner is not thread-safe; its transforms are.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

// FFTW's two precisions under one name. Plans are made for buffers that live as long as they do.
template <class R>
struct Fftw;

template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  static void* allocate(std::size_t bytes) { return fftw_malloc(bytes); }
  static void release(void* data) { fftw_free(data); }
  static Plan forward(int n, double* x, std::complex<double>* z) {
    return fftw_plan_dft_r2c_1d(n, x, reinterpret_cast<fftw_complex*>(z), FFTW_ESTIMATE);
  }
  static Plan backward(int n, std::complex<double>* z, double* x) {
    return fftw_plan_dft_c2r_1d(n, reinterpret_cast<fftw_complex*>(z), x, FFTW_ESTIMATE);
  }
  static void execute(Plan plan) { fftw_execute(plan); }
  static void destroy(Plan plan) { fftw_destroy_plan(plan); }
};

template <>
struct Fftw<long double> {
  using Plan = fftwl_plan;
  static void* allocate(std::size_t bytes) { return fftwl_malloc(bytes); }
  static void release(void* data) { fftwl_free(data); }
  static Plan forward(int n, long double* x, std::complex<long double>* z) {
    return fftwl_plan_dft_r2c_1d(n, x, reinterpret_cast<fftwl_complex*>(z), FFTW_ESTIMATE);
  }
  static Plan backward(int n, std::complex<long double>* z, long double* x) {
    return fftwl_plan_dft_c2r_1d(n, reinterpret_cast<fftwl_complex*>(z), x, FFTW_ESTIMATE);
  }
  static void execute(Plan plan) { fftwl_execute(plan); }
  static void destroy(Plan plan) { fftwl_destroy_plan(plan); }
};

template <class R, class T>
struct Buffer {
  explicit Buffer(std::size_t size) : data(static_cast<T*>(Fftw<R>::allocate(size * sizeof(T)))) {
    if (data == nullptr) throw std::bad_alloc();
  }
  ~Buffer() { Fftw<R>::release(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data;
};

// Makes the plan with `make`, runs it once.
template <class R, class Make>
void transform(Make make) {
  std::unique_lock lock(planner());
  const typename Fftw<R>::Plan plan = make();
  if (plan == nullptr) throw std::bad_alloc();
  lock.unlock();
  Fftw<R>::execute(plan);
  lock.lock();
  Fftw<R>::destroy(plan);
}

template <class R>
constexpr double roundoff = static_cast<double>(std::numeric_limits<R>::epsilon() / 2);

// Without the checks for infinities that std::complex's product makes. Relative error < 4u [Brent, Percival &
// Zimmermann 2007: sqrt(5) u].
template <class R>
std::complex<R> times(std::complex<R> a, std::complex<R> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// n−1 products deep in the sense of error: relative error <= (1+4u)^n − 1.
template <class R>
std::complex<R> power(std::complex<R> base, std::uint64_t n) {
  std::complex<R> result = 1;
  for (; n != 0; n >>= 1) {
    if (n & 1) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

template <class R>
double modulus(std::complex<R> z) {
  return static_cast<double>(std::sqrt(z.real() * z.real() + z.imag() * z.imag())) * (1 + 4 * unit_roundoff);
}

double sum_of(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum * (1 + 1e-9);
}

// [Higham 2002, Thm 24.2], see the header.
template <class R>
double transform_error(std::size_t size) {
  return 16 * roundoff<R> * static_cast<double>(std::bit_width(size));
}

// Frequencies at which the product is below this are left out, and their bound is added to the error.
constexpr double negligible_exponent = -100;

template <class R>
Convolution convolve_in(std::span<const Factor> factors) {
  using Complex = std::complex<R>;
  const std::size_t size = factors.front().mass.size(), half = size / 2 + 1;
  const int n = static_cast<int>(size);
  const double length = static_cast<double>(size);
  Buffer<R, R> real(size);
  std::vector<std::unique_ptr<Buffer<R, Complex>>> spectra;
  std::vector<double> spectrum_errors, cutoffs, moduli(factors.size());
  double total_count = 0;
  for (const Factor& factor : factors) {
    spectra.push_back(std::make_unique<Buffer<R, Complex>>(half));
    std::ranges::copy(factor.mass, real.data);
    transform<R>([&] { return Fftw<R>::forward(n, real.data, spectra.back()->data); });
    spectrum_errors.push_back(transform_error<R>(size) * sum_of(factor.mass));
    cutoffs.push_back(std::exp(negligible_exponent / factor.count));
    total_count += factor.count;
  }

  // With r_i >= |φ_i| for both the exact and the computed φ_i:
  //   |Π φ̂_i^{n_i} − Π φ_i^{n_i}| <= Σ_i n_i |φ̂_i − φ_i| Π_l r_l^{n_l} / r_i.
  Complex* const product = spectra.front()->data;
  double of_spectra = 0, sum_of_moduli = 0;
  for (std::size_t k = 0; k < half; ++k) {
    const double weight = k == 0 || 2 * k == size ? 1 : 2;  // a real signal's other half is its mirror image
    double log_product = 0;
    for (std::size_t i = 0; i < factors.size() && log_product >= negligible_exponent; ++i) {
      moduli[i] = modulus(spectra[i]->data[k]) + spectrum_errors[i];
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
    sum_of_moduli += weight * modulus(z);
  }
  const double products = total_count + 4 * static_cast<double>(factors.size());
  const double of_powers = sum_of_moduli * std::expm1(4 * roundoff<R> * products);
  const double of_backward = transform_error<R>(size) * sum_of_moduli;

  transform<R>([&] { return Fftw<R>::backward(n, product, real.data); });
  Convolution result{.mass = std::vector<double>(size), .error = 0};
  for (std::size_t k = 0; k < size; ++k)
    result.mass[k] = static_cast<double>(real.data[k] / static_cast<R>(length));
  result.error = 1.01 * (of_powers + of_spectra + of_backward) / length;
  return result;
}

}  // namespace

std::size_t transform_size(std::size_t least) {
  std::size_t size = std::bit_ceil(least);
  for (const std::size_t candidate : {size / 8 * 5, size / 4 * 3})
    if (candidate >= least && candidate >= 64) return candidate;
  return size;
}

Convolution convolve(std::span<const Factor> factors, Precision precision) {
  return precision == Precision::extended ? convolve_in<long double>(factors) : convolve_in<double>(factors);
}

}  // namespace tacit::inline v1::pld
