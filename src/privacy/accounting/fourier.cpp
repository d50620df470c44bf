#include "privacy/accounting/fourier.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "privacy/accounting/real_transform.hpp"
#include "privacy/accounting/roots.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

namespace {

template <class R>
constexpr double roundoff = static_cast<double>(std::numeric_limits<R>::epsilon() / 2);

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

// Frequencies at which the product is below this are left out, and their bound is added to the error.
constexpr double negligible_exponent = -100;

// Multiplies the spectra of the factors as they come, so that memory does not grow with their number.
template <class R>
class Product {
 public:
  explicit Product(std::size_t size)
      : size_(size),
        transform_(size),
        spectrum_(size),
        product_(size),
        log_bound_(size / 2 + 1, 0.0),
        errors_(size / 2 + 1, 0.0) {
    for_each_frequency([&](std::size_t, Place at) { set(at, Complex(1)); });
  }

  void multiply(const Factor& factor);
  Convolution transform_back();

 private:
  using Complex = std::complex<R>;

  // Where a frequency's real and imaginary part are; of a real one the same place.
  struct Place {
    std::size_t re, im;
    bool real() const { return re == im; }
    double weight() const { return real() ? 1 : 2; }  // a real signal's other half is its mirror image
  };
  template <class F>
  void for_each_frequency(F f) const {
    std::size_t k = 0;
    for (; k < RealTransform<R>::real_ones; ++k) f(k, Place{k, k});
    for (const auto& [first, length] : transform_.complex_ones())
      for (std::size_t i = first; i < first + length; ++i, ++k) f(k, Place{i, i + length});
  }
  static Complex get(const std::vector<R>& from, Place at) {
    return {from[at.re], at.real() ? R(0) : from[at.im]};
  }
  void set(Place at, Complex z) {
    product_[at.re] = z.real();
    if (!at.real()) product_[at.im] = z.imag();
  }

  std::size_t size_;
  RealTransform<R> transform_;
  std::vector<R> spectrum_, product_;
  std::vector<double> log_bound_;  // ln of a bound on the product, exact and computed
  std::vector<double> errors_;     // Σ count·|φ̂ − φ|/r over the factors
  double count_ = 0;               // of multiplications
};

// With r >= |φ| for both the exact and the computed φ of every factor:
//   |Π φ̂_i^{n_i} − Π φ_i^{n_i}| <= Π r_i^{n_i} · Σ_i n_i |φ̂_i − φ_i| / r_i.
template <class R>
void Product<R>::multiply(const Factor& factor) {
  std::ranges::fill(spectrum_, R(0));
  double total = 0;
  for (const Point& point : factor.points) {
    spectrum_[point.at] += static_cast<R>(point.mass);
    total += point.mass;
  }
  transform_.forward(spectrum_);
  const double error = transform_.error() * total * (1 + 1e-9);
  const double cutoff = std::exp(negligible_exponent / factor.count);
  for_each_frequency([&](std::size_t k, Place at) {
    if (log_bound_[k] < negligible_exponent) return;
    const Complex value = get(spectrum_, at);
    const double bound = modulus(value) + error;
    if (bound < cutoff) {  // far below there is no need of its logarithm
      log_bound_[k] = negligible_exponent - 1;
      return;
    }
    log_bound_[k] += factor.count * std::log(bound);
    errors_[k] += factor.count * error / bound;
    set(at, times(get(product_, at), power(value, static_cast<std::uint64_t>(factor.count))));
  });
  count_ += factor.count + 4;
}

template <class R>
Convolution Product<R>::transform_back() {
  double of_spectra = 0, sum_of_moduli = 0;
  for_each_frequency([&](std::size_t k, Place at) {
    if (log_bound_[k] < negligible_exponent) {
      set(at, Complex(0));
      of_spectra += at.weight() * std::exp(negligible_exponent);
    } else {
      of_spectra += at.weight() * std::exp(log_bound_[k]) * errors_[k];
      sum_of_moduli += at.weight() * modulus(get(product_, at));
    }
  });
  // Relative to the exact product, whose modulus is at most 1/(1 − e) of the computed one.
  const double e = std::expm1(4 * roundoff<R> * count_);
  const double of_powers = e < 1 ? sum_of_moduli * e / (1 - e) : std::numeric_limits<double>::infinity();
  const double of_backward = transform_.error() * sum_of_moduli;
  transform_.backward(product_);
  const double length = static_cast<double>(size_);
  Convolution result{.mass = std::vector<double>(size_), .error = 0};
  for (std::size_t k = 0; k < size_; ++k)
    result.mass[k] = static_cast<double>(product_[k] / static_cast<R>(length));
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
