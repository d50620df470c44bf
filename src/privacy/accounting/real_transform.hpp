#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tacit::inline v1::pld {

template <class R>
struct Roots;

// The discrete Fourier transform of real numbers, in place, with a proved bound on its rounding. For R double
// and long double.
//
// The numbers are the coefficients of a polynomial modulo x^N − 1, and the transform is its residues modulo
// x − ω for all N-th roots of unity ω: x^{2m} − c² is split into x^m − c and x^m + c until m = 1 [Fiduccia
// 1972; Bernstein 2001, Multidigit multiplication for mathematicians]. Nothing is reordered. Real factors
// stay real: x^{2m} + 1 has (x^m − i)(x^m + i), one of which is enough.
//
// Each result, of forward() and of backward(), is within error()·Σ|input| of the exact one; the sum is over
// all N numbers, so that of a spectrum each complex one counts twice. Proof: docs/accounting.md, "The
// transform's rounding".
template <class R>
class RealTransform {
 public:
  explicit RealTransform(std::size_t size);  // 2^k, 3·2^k or 5·2^k, k >= 1
  ~RealTransform();
  RealTransform(const RealTransform&) = delete;
  RealTransform& operator=(const RealTransform&) = delete;

  void forward(std::span<R> numbers) const;
  void backward(std::span<R> spectrum) const;  // gives the numbers times the size
  double error() const;

  // Where the spectrum is: first the two real ones, at frequency 0 and size/2; then stretches of `length`
  // real parts followed by as many imaginary parts. Of the two conjugates at ±k there is one, and which one
  // comes where is not promised.
  static constexpr std::size_t real_ones = 2;
  struct Stretch {
    std::size_t first, length;
  };
  const std::vector<Stretch>& complex_ones() const { return complex_ones_; }

 private:
  struct Branch {  // the residue modulo x^{size/radix} − e^{−2πi·at/radix}
    std::size_t at;
    std::size_t first;
  };
  std::size_t size_, radix_, length_;  // size_ = radix_·length_, length_ a power of two
  std::vector<Stretch> complex_ones_;
  std::vector<Branch> branches_;
  std::shared_ptr<const Roots<R>> roots_;
};

extern template class RealTransform<double>;
extern template class RealTransform<long double>;

}  // namespace tacit::inline v1::pld
