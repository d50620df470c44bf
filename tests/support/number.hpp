#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstdint>

// Numbers of 640 binary digits, or as many as asked, rounded to nearest: the reference that intervals and
// samplers are held against. It shares no code with them.

namespace tacit::testing {

inline constexpr long reference_precision = 640;

class Number {
 public:
  explicit Number(double value = 0, long bits = reference_precision) {
    mpfr_init2(x_, bits);
    mpfr_set_d(x_, value, MPFR_RNDN);
  }
  Number(const Number& other) {
    mpfr_init2(x_, mpfr_get_prec(other.x_));
    mpfr_set(x_, other.x_, MPFR_RNDN);
  }
  Number(Number&& other) noexcept : Number(0, 2) { mpfr_swap(x_, other.x_); }
  Number& operator=(Number other) noexcept {
    mpfr_swap(x_, other.x_);
    return *this;
  }
  ~Number() { mpfr_clear(x_); }

  static Number of_word(std::uint64_t word, long bits = reference_precision) {
    Number y(0, bits);
    mpfr_set_ui(y.x_, word, MPFR_RNDN);
    return y;
  }
  static Number of(long double value, long bits = reference_precision) {
    Number y(0, bits);
    mpfr_set_ld(y.x_, value, MPFR_RNDN);
    return y;
  }

  mpfr_ptr get() { return x_; }
  mpfr_srcptr get() const { return x_; }
  long bits() const { return mpfr_get_prec(x_); }
  double to_double() const { return mpfr_get_d(x_, MPFR_RNDN); }
  std::uint64_t to_word() const { return mpfr_get_ui(x_, MPFR_RNDZ); }  // the whole part
  Number shifted(long exponent) const {
    Number y = *this;
    mpfr_mul_2si(y.x_, y.x_, exponent, MPFR_RNDN);
    return y;
  }

  friend Number operator+(const Number& a, const Number& b) { return binary(mpfr_add, a, b); }
  friend Number operator-(const Number& a, const Number& b) { return binary(mpfr_sub, a, b); }
  friend Number operator*(const Number& a, const Number& b) { return binary(mpfr_mul, a, b); }
  friend Number operator/(const Number& a, const Number& b) { return binary(mpfr_div, a, b); }
  friend bool operator<(const Number& a, const Number& b) { return mpfr_less_p(a.x_, b.x_) != 0; }
  friend bool operator>(const Number& a, const Number& b) { return b < a; }

  friend Number log(const Number& a) { return unary(mpfr_log, a); }
  friend Number exp(const Number& a) { return unary(mpfr_exp, a); }
  friend Number sqrt(const Number& a) { return unary(mpfr_sqrt, a); }
  friend Number erfc(const Number& a) { return unary(mpfr_erfc, a); }
  friend Number log1p(const Number& a) { return unary(mpfr_log1p, a); }
  friend Number cos(const Number& a) { return unary(mpfr_cos, a); }
  friend Number sin(const Number& a) { return unary(mpfr_sin, a); }
  friend Number floor(const Number& a) {
    return unary([](mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t) { return mpfr_floor(y, x); }, a);
  }
  friend Number abs(const Number& a) { return unary(mpfr_abs, a); }
  friend Number cos_2pi(const Number& a) { return turned(mpfr_cosu, a); }
  friend Number sin_2pi(const Number& a) { return turned(mpfr_sinu, a); }

 private:
  // Of a number of turns: exact at quarters, where a rounded 2π would not be.
  template <class F>
  static Number turned(F f, const Number& a) {
    Number y(0, a.bits());
    f(y.x_, a.x_, 1, MPFR_RNDN);
    return y;
  }
  template <class F>
  static Number unary(F f, const Number& a) {
    Number y(0, a.bits());
    f(y.x_, a.x_, MPFR_RNDN);
    return y;
  }
  template <class F>
  static Number binary(F f, const Number& a, const Number& b) {
    Number y(0, a.bits() > b.bits() ? a.bits() : b.bits());
    f(y.x_, a.x_, b.x_, MPFR_RNDN);
    return y;
  }

  mpfr_t x_;
};

}  // namespace tacit::testing
