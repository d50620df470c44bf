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

// FFTW's planner is not thread-safe; its transforms are. Recursive: making plans may destroy others.
std::recursive_mutex& planner() {
  static std::recursive_mutex mutex;
  return mutex;
}

// FFTW's two precisions under one name. A plan serves any buffers that FFTW has allocated.
template <class R>
struct Fftw;

template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  static void* allocate(std::size_t bytes) { return fftw_malloc(bytes); }
  static void release(void* data) { fftw_free(data); }
  static Plan plan_forward(int n, double* x, std::complex<double>* z) {
    return fftw_plan_dft_r2c_1d(n, x, reinterpret_cast<fftw_complex*>(z), FFTW_ESTIMATE);
  }
  static Plan plan_backward(int n, std::complex<double>* z, double* x) {
    return fftw_plan_dft_c2r_1d(n, reinterpret_cast<fftw_complex*>(z), x, FFTW_ESTIMATE);
  }
  static void forward(Plan plan, double* x, std::complex<double>* z) {
    fftw_execute_dft_r2c(plan, x, reinterpret_cast<fftw_complex*>(z));
  }
  static void backward(Plan plan, std::complex<double>* z, double* x) {
    fftw_execute_dft_c2r(plan, reinterpret_cast<fftw_complex*>(z), x);
  }
  static void destroy(Plan plan) { fftw_destroy_plan(plan); }
};

template <>
struct Fftw<long double> {
  using Plan = fftwl_plan;
  static void* allocate(std::size_t bytes) { return fftwl_malloc(bytes); }
  static void release(void* data) { fftwl_free(data); }
  static Plan plan_forward(int n, long double* x, std::complex<long double>* z) {
    return fftwl_plan_dft_r2c_1d(n, x, reinterpret_cast<fftwl_complex*>(z), FFTW_ESTIMATE);
  }
  static Plan plan_backward(int n, std::complex<long double>* z, long double* x) {
    return fftwl_plan_dft_c2r_1d(n, reinterpret_cast<fftwl_complex*>(z), x, FFTW_ESTIMATE);
  }
  static void forward(Plan plan, long double* x, std::complex<long double>* z) {
    fftwl_execute_dft_r2c(plan, x, reinterpret_cast<fftwl_complex*>(z));
  }
  static void backward(Plan plan, std::complex<long double>* z, long double* x) {
    fftwl_execute_dft_c2r(plan, reinterpret_cast<fftwl_complex*>(z), x);
  }
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

// The transforms of one size, there and back.
template <class R>
class Transforms {
 public:
  // The last ones made are kept: an account takes the same size several times in a row, and making a plan
  // takes longer than using it.
  static std::shared_ptr<const Transforms> of_size(std::size_t size) {
    const std::scoped_lock lock(planner());
    static std::shared_ptr<const Transforms> last;
    if (last == nullptr || last->size_ != size) {
      last.reset();  // its memory goes before the next one's comes
      last = std::make_shared<const Transforms>(size);
    }
    return last;
  }

  explicit Transforms(std::size_t size) : size_(size) {
    const Buffer<R, R> real(size);
    const Buffer<R, std::complex<R>> spectrum(size / 2 + 1);
    const int n = static_cast<int>(size);
    forward_ = Fftw<R>::plan_forward(n, real.data, spectrum.data);
    backward_ = Fftw<R>::plan_backward(n, spectrum.data, real.data);
    if (forward_ == nullptr || backward_ == nullptr) throw std::bad_alloc();
  }
  ~Transforms() {
    const std::scoped_lock lock(planner());
    Fftw<R>::destroy(forward_);
    Fftw<R>::destroy(backward_);
  }
  Transforms(const Transforms&) = delete;
  Transforms& operator=(const Transforms&) = delete;

  void forward(R* x, std::complex<R>* z) const { Fftw<R>::forward(forward_, x, z); }
  void backward(std::complex<R>* z, R* x) const { Fftw<R>::backward(backward_, z, x); }

 private:
  std::size_t size_;
  typename Fftw<R>::Plan forward_, backward_;
};

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

// [Higham 2002, Thm 24.2], see the header.
template <class R>
double transform_error(std::size_t size) {
  return 16 * roundoff<R> * static_cast<double>(std::bit_width(size));
}

// Frequencies at which the product is below this are left out, and their bound is added to the error.
constexpr double negligible_exponent = -100;

// Multiplies the spectra of the factors as they come, so that memory does not grow with their number.
template <class R>
class Product {
 public:
  explicit Product(std::size_t size)
      : size_(size),
        transforms_(Transforms<R>::of_size(size)),
        real_(size),
        spectrum_(half()),
        product_(half()),
        log_bound_(half(), 0.0),
        errors_(half(), 0.0) {
    std::fill_n(product_.data, half(), Complex(1));
  }

  void multiply(const Factor& factor);
  Convolution transform_back();

 private:
  using Complex = std::complex<R>;
  std::size_t half() const { return size_ / 2 + 1; }

  std::size_t size_;
  std::shared_ptr<const Transforms<R>> transforms_;
  Buffer<R, R> real_;
  Buffer<R, Complex> spectrum_, product_;
  std::vector<double> log_bound_;  // ln of a bound on the product, exact and computed
  std::vector<double> errors_;     // Σ count·|φ̂ − φ|/r over the factors
  double count_ = 0;               // of multiplications
};

// With r >= |φ| for both the exact and the computed φ of every factor:
//   |Π φ̂_i^{n_i} − Π φ_i^{n_i}| <= Π r_i^{n_i} · Σ_i n_i |φ̂_i − φ_i| / r_i.
template <class R>
void Product<R>::multiply(const Factor& factor) {
  std::fill_n(real_.data, size_, R(0));
  double total = 0;
  for (const Point& point : factor.points) {
    real_.data[point.at] += static_cast<R>(point.mass);
    total += point.mass;
  }
  transforms_->forward(real_.data, spectrum_.data);
  const double error = transform_error<R>(size_) * total * (1 + 1e-9);
  const double cutoff = std::exp(negligible_exponent / factor.count);
  for (std::size_t k = 0; k < half(); ++k) {
    if (log_bound_[k] < negligible_exponent) continue;
    const double bound = modulus(spectrum_.data[k]) + error;
    if (bound < cutoff) {  // far below there is no need of its logarithm
      log_bound_[k] = negligible_exponent - 1;
      continue;
    }
    log_bound_[k] += factor.count * std::log(bound);
    errors_[k] += factor.count * error / bound;
    product_.data[k] =
        times(product_.data[k], power(spectrum_.data[k], static_cast<std::uint64_t>(factor.count)));
  }
  count_ += factor.count + 4;
}

template <class R>
Convolution Product<R>::transform_back() {
  double of_spectra = 0, sum_of_moduli = 0;
  for (std::size_t k = 0; k < half(); ++k) {
    const double weight = k == 0 || 2 * k == size_ ? 1 : 2;  // a real signal's other half is its mirror image
    if (log_bound_[k] < negligible_exponent) {
      product_.data[k] = 0;
      of_spectra += weight * std::exp(negligible_exponent);
    } else {
      of_spectra += weight * std::exp(log_bound_[k]) * errors_[k];
      sum_of_moduli += weight * modulus(product_.data[k]);
    }
  }
  const double of_powers = sum_of_moduli * std::expm1(4 * roundoff<R> * count_);
  const double of_backward = transform_error<R>(size_) * sum_of_moduli;
  transforms_->backward(product_.data, real_.data);
  const double length = static_cast<double>(size_);
  Convolution result{.mass = std::vector<double>(size_), .error = 0};
  for (std::size_t k = 0; k < size_; ++k)
    result.mass[k] = static_cast<double>(real_.data[k] / static_cast<R>(length));
  result.error = 1.01 * (of_powers + of_spectra + of_backward) / length;
  return result;
}

template <class R>
Convolution convolve_in(std::span<const Factor> factors, std::size_t size) {
  Product<R> product(size);
  for (const Factor& factor : factors) product.multiply(factor);
  return product.transform_back();
}

}  // namespace

std::size_t transform_size(std::size_t least) {
  std::size_t size = std::bit_ceil(least);
  for (const std::size_t candidate : {size / 8 * 5, size / 4 * 3})
    if (candidate >= least && candidate >= 64) return candidate;
  return size;
}

Convolution convolve(std::span<const Factor> factors, std::size_t size, Precision precision) {
  return precision == Precision::extended ? convolve_in<long double>(factors, size)
                                          : convolve_in<double>(factors, size);
}

}  // namespace tacit::inline v1::pld
