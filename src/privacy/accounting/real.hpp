#pragma once

#include <arb.h>
#include <arb_hypgeom.h>

#include <utility>

namespace tacit::inline v1 {

// A real number known up to an error that is carried along (an Arb ball): every operation encloses the true
// result. `bits` is the working precision of what is computed from it.
class Real {
 public:
  explicit Real(long bits) : bits_(bits) { arb_init(x_); }
  Real(double value, long bits) : Real(bits) { arb_set_d(x_, value); }
  Real(const Real& other) : Real(other.bits_) { arb_set(x_, other.x_); }
  Real(Real&& other) noexcept : Real(other.bits_) { arb_swap(x_, other.x_); }
  Real& operator=(Real other) noexcept {
    std::swap(bits_, other.bits_);
    arb_swap(x_, other.x_);
    return *this;
  }
  ~Real() { arb_clear(x_); }

  long bits() const { return bits_; }
  double upper() const { return bound(arb_get_ubound_arf, ARF_RND_CEIL); }
  double lower() const { return bound(arb_get_lbound_arf, ARF_RND_FLOOR); }
  // How many leading bits of the value are certain; negative when not even its sign is.
  long certain_bits() const { return arb_rel_accuracy_bits(x_); }
  // The same number, widened by ±radius.
  Real widened(const Real& radius) const {
    Real y(*this);
    arb_add_error(y.x_, radius.x_);
    return y;
  }

  friend Real operator+(const Real& a, const Real& b) { return binary(arb_add, a, b); }
  friend Real operator-(const Real& a, const Real& b) { return binary(arb_sub, a, b); }
  friend Real operator*(const Real& a, const Real& b) { return binary(arb_mul, a, b); }
  friend Real operator/(const Real& a, const Real& b) { return binary(arb_div, a, b); }
  friend Real operator+(const Real& a, double b) { return a + Real(b, a.bits_); }
  friend Real operator-(const Real& a, double b) { return a - Real(b, a.bits_); }
  friend Real operator*(const Real& a, double b) { return a * Real(b, a.bits_); }
  friend Real operator/(const Real& a, double b) { return a / Real(b, a.bits_); }
  friend Real operator-(const Real& a) { return Real(0, a.bits_) - a; }

  friend Real exp(const Real& a) { return unary(arb_exp, a); }
  friend Real expm1(const Real& a) { return unary(arb_expm1, a); }
  friend Real log(const Real& a) { return unary(arb_log, a); }
  friend Real log1p(const Real& a) { return unary(arb_log1p, a); }
  friend Real sqrt(const Real& a) { return unary(arb_sqrt, a); }
  friend Real abs(const Real& a) {
    Real y(a.bits_);
    arb_abs(y.x_, a.x_);
    return y;
  }
  // Phi(x), the normal distribution function.
  friend Real normal_cdf(const Real& a) { return unary(arb_hypgeom_erfc, -a / sqrt(Real(2, a.bits_))) / 2.0; }

 private:
  template <class Get>
  double bound(Get get, arf_rnd_t rounding) const {
    arf_t y;
    arf_init(y);
    get(y, x_, 64);
    const double value = arf_get_d(y, rounding);
    arf_clear(y);
    return value;
  }
  template <class F>
  static Real unary(F f, const Real& a) {
    Real y(a.bits_);
    f(y.x_, a.x_, a.bits_);
    return y;
  }
  template <class F>
  static Real binary(F f, const Real& a, const Real& b) {
    Real y(a.bits_);
    f(y.x_, a.x_, b.x_, a.bits_);
    return y;
  }

  arb_t x_;
  long bits_;
};

// Evaluates f(bits) with growing precision until its value is certain to 60 bits, or to `max_bits` of work:
// then the enclosure is wide, but still one.
template <class F>
Real evaluate(F f, long max_bits = 4096) {
  for (long bits = 128;; bits *= 2) {
    Real y = f(bits);
    if (y.certain_bits() >= 60 || bits >= max_bits) return y;
  }
}

}  // namespace tacit::inline v1
