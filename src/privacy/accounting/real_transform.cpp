#include "privacy/accounting/real_transform.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "privacy/accounting/residue_passes.hpp"
#include "privacy/accounting/roots.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::pld {

namespace {

// Of polynomials modulo x^n − e^{−2πi·at/of}, n a power of two.
template <class R>
class Residues {
 public:
  Residues(const Roots<R>& roots, const Turns<R>& turns) : roots_(roots), turns_(turns) {}

  template <Way way>
  void transform(R* re, R* im, std::size_t n) const {
    if (std::countr_zero(n) % 2 == 0) return in_fours<way>(re, im, n, 0, 0);
    const std::size_t half = n / 2;
    if (way == Way::forward) split_in_two(re, im, half, root(0, 0));
    for (const std::size_t j : {0u, 1u}) in_fours<way>(re + j * half, im + j * half, half, j, 1);
    if (way == Way::backward) join_two(re, im, half, root(0, 0));
  }

 private:
  // c with c² the root of the j-th factor at level l, and d with d² = c.
  std::complex<R> root(std::size_t j, std::size_t l) const {
    return times({roots_.re[j], roots_.im[j]}, turns_[l]);
  }
  std::complex<R> half_root(std::size_t j, std::size_t l) const {
    return times({roots_.half_re[j], roots_.half_im[j]}, turns_[l + 1]);
  }

  // The j-th factor at level l, n a power of four. Depth first, so that a part stays in the cache until it is
  // done.
  template <Way way>
  void in_fours(R* re, R* im, std::size_t n, std::size_t j, std::size_t l) const {
    if (n == 1) return;
    if (n <= few) return level_by_level<way>(re, im, n, j, l);
    const std::size_t m = n / 4;
    if (way == Way::forward) fours<way>(re, im, m, root(j, l), half_root(j, l));
    for (std::size_t b = 0; b < 4; ++b) in_fours<way>(re + b * m, im + b * m, m, 4 * j + b, l + 2);
    if (way == Way::backward) fours<way>(re, im, m, root(j, l), half_root(j, l));
  }

  template <Way way>
  void level_by_level(R* re, R* im, std::size_t n, std::size_t j, std::size_t l) const {
    const auto levels = static_cast<std::size_t>(std::countr_zero(n) / 2);
    for (std::size_t step = 0; step < levels; ++step) {
      const std::size_t level = way == Way::forward ? step : levels - 1 - step;
      const std::size_t blocks = std::size_t{1} << 2 * level, m = n / blocks / 4;
      const std::size_t first = j * blocks, at = l + 2 * level;
      if (m == 1 && blocks % lanes == 0) {
        last_level<way>(re, im, blocks, first, at);
        continue;
      }
      for (std::size_t b = 0; b < blocks; ++b)
        fours<way>(re + 4 * m * b, im + 4 * m * b, m, root(first + b, at), half_root(first + b, at));
    }
  }

  // Four blocks of four numbers side by side. The spectrum stays transposed within them: nobody asks for its
  // order.
  template <Way way>
  void last_level(R* re, R* im, std::size_t blocks, std::size_t first, std::size_t l) const {
    for (std::size_t b = 0; b < blocks; b += lanes) {
      R *r = re + 4 * b, *i = im + 4 * b;
      R from_re[16], from_im[16], to_re[16], to_im[16];
      for (std::size_t k = 0; k < 16; ++k) {
        const std::size_t at = way == Way::forward ? transposed(k) : k;
        from_re[k] = r[at];
        from_im[k] = i[at];
      }
      for (std::size_t k = 0; k < lanes; ++k) {
        const std::complex<R> c = root(first + b + k, l), d = half_root(first + b + k, l);
        const std::complex<R> cd = times(c, d);
        const Four<R> x{{from_re[k], from_im[k]},
                        {from_re[k + 4], from_im[k + 4]},
                        {from_re[k + 8], from_im[k + 8]},
                        {from_re[k + 12], from_im[k + 12]}};
        const Four<R> y = way == Way::forward ? split(x, c, d, cd) : join(x, c, d, cd);
        to_re[k] = y.x0.real();
        to_im[k] = y.x0.imag();
        to_re[k + 4] = y.x1.real();
        to_im[k + 4] = y.x1.imag();
        to_re[k + 8] = y.x2.real();
        to_im[k + 8] = y.x2.imag();
        to_re[k + 12] = y.x3.real();
        to_im[k + 12] = y.x3.imag();
      }
      for (std::size_t k = 0; k < 16; ++k) {
        const std::size_t at = way == Way::backward ? transposed(k) : k;
        r[at] = to_re[k];
        i[at] = to_im[k];
      }
    }
  }
  static std::size_t transposed(std::size_t k) { return k % 4 * 4 + k / 4; }

  static constexpr std::size_t few = 1024, lanes = 4;
  const Roots<R>& roots_;
  const Turns<R>& turns_;
};

// Σ_s x_s ω^{rs} for ω = e^{−2πi/radix}, radix odd, and r from 0 to radix/2: of real numbers, so that the
// other r give conjugates. The numbers lie `length` apart, and so do the results: r = 0, then real and
// imaginary parts.
template <class R>
class OddStage {
 public:
  OddStage(std::size_t radix, std::size_t length) : radix_(radix), length_(length) {
    for (std::size_t k = 0; k < radix; ++k) roots_.push_back(unit_root<R>(k, radix));
  }

  void forward(R* x) const {
    for (std::size_t k = 0; k < length_; ++k) {
      R sum[2], difference[2], total = x[k];
      for (std::size_t s = 1; s <= half(); ++s) {
        const R a = x[k + s * length_], b = x[k + (radix_ - s) * length_];
        sum[s - 1] = a + b;
        difference[s - 1] = a - b;
        total += sum[s - 1];
      }
      const R first = x[k];
      for (std::size_t r = 1; r <= half(); ++r) {
        R re = first, im = 0;
        for (std::size_t s = 1; s <= half(); ++s) {
          re += root(r * s).real() * sum[s - 1];
          im += root(r * s).imag() * difference[s - 1];
        }
        x[k + (2 * r - 1) * length_] = re;
        x[k + 2 * r * length_] = im;
      }
      x[k] = total;
    }
  }

  // x_s = Re(y_0 + 2 Σ_r ω^{−rs} y_r)
  void backward(R* y) const {
    for (std::size_t k = 0; k < length_; ++k) {
      R re[2], im[2], total = y[k];
      for (std::size_t r = 1; r <= half(); ++r) {
        re[r - 1] = 2 * y[k + (2 * r - 1) * length_];
        im[r - 1] = 2 * y[k + 2 * r * length_];
        total += re[r - 1];
      }
      const R first = y[k];
      for (std::size_t s = 1; s <= half(); ++s) {
        R even = first, odd = 0;
        for (std::size_t r = 1; r <= half(); ++r) {
          even += root(r * s).real() * re[r - 1];
          odd += root(r * s).imag() * im[r - 1];
        }
        y[k + s * length_] = even + odd;
        y[k + (radix_ - s) * length_] = even - odd;
      }
      y[k] = total;
    }
  }

 private:
  std::size_t half() const { return radix_ / 2; }
  std::complex<R> root(std::size_t k) const { return roots_[k % radix_]; }

  std::size_t radix_, length_;
  std::vector<std::complex<R>> roots_;
};

std::size_t odd_part(std::size_t size) { return size == 0 ? 0 : size >> std::countr_zero(size); }

}  // namespace

template <class R>
RealTransform<R>::RealTransform(std::size_t size)
    : size_(size), radix_(odd_part(size)), length_(radix_ == 0 ? 0 : size / radix_) {
  if (!(length_ >= 2 && (radix_ == 1 || radix_ == 3 || radix_ == 5)))
    throw_error<UsageError>("a transform of {} numbers, expected 2, 3 or 5 times a power of two", size);
  for (std::size_t n = 1; 4 * n <= length_; n *= 2) complex_ones_.push_back({2 * n, n});
  for (std::size_t at = 1; 2 * at < radix_; ++at) {
    branches_.push_back({at, (2 * at - 1) * length_});
    complex_ones_.push_back({branches_.back().first, length_});
  }
  roots_ = roots<R>(std::max<std::size_t>((radix_ > 1 ? length_ : length_ / 4) / 4, 1));
}

template <class R>
RealTransform<R>::~RealTransform() = default;

template <class R>
double RealTransform<R>::error() const {
  constexpr double roundoff = static_cast<double>(std::numeric_limits<R>::epsilon() / 2);
  return 11 * roundoff * static_cast<double>(std::bit_width(size_));
}

// Of the real branch, modulo x^n − 1: x^{n/2} − 1 is real again, and x^{n/2} + 1 = (x^{n/4} − i)(x^{n/4} +
// i), where i is e^{−2πi·3/4} and the residue has the first half of the coefficients as real parts, the
// second as imaginary ones.
template <class R>
void RealTransform<R>::forward(std::span<R> numbers) const {
  R* const x = numbers.data();
  if (radix_ > 1) OddStage<R>(radix_, length_).forward(x);
  for (const Branch& branch : branches_)
    Residues<R>(*roots_, turns<R>(branch.at, radix_))
        .template transform<Way::forward>(x + branch.first, x + branch.first + length_, length_);
  const Residues<R> quarters(*roots_, turns<R>(3, 4));
  for (std::size_t n = length_; n >= 2; n /= 2) {
    for (std::size_t k = 0; k < n / 2; ++k) {
      const R a = x[k], b = x[k + n / 2];
      x[k] = a + b;
      x[k + n / 2] = a - b;
    }
    if (n >= 4) quarters.template transform<Way::forward>(x + n / 2, x + n / 2 + n / 4, n / 4);
  }
}

// A complex residue of n/4 comes back n/4 times as large, the real one of n/2 twice as much.
template <class R>
void RealTransform<R>::backward(std::span<R> spectrum) const {
  R* const x = spectrum.data();
  const Residues<R> quarters(*roots_, turns<R>(3, 4));
  for (std::size_t n = 2; n <= length_; n *= 2) {
    if (n >= 4) quarters.template transform<Way::backward>(x + n / 2, x + n / 2 + n / 4, n / 4);
    const R factor = n >= 4 ? 2 : 1;
    for (std::size_t k = 0; k < n / 2; ++k) {
      const R a = x[k], b = factor * x[k + n / 2];
      x[k] = a + b;
      x[k + n / 2] = a - b;
    }
  }
  for (const Branch& branch : branches_)
    Residues<R>(*roots_, turns<R>(branch.at, radix_))
        .template transform<Way::backward>(x + branch.first, x + branch.first + length_, length_);
  if (radix_ > 1) OddStage<R>(radix_, length_).backward(x);
}

template class RealTransform<double>;
template class RealTransform<long double>;

}  // namespace tacit::inline v1::pld
