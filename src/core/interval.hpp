#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

// A real number known to lie between two ends: every operation encloses the true result, rounding outwards.
// What is undefined for some number between the ends (a quotient by zero, the logarithm of less than zero)
// gives the whole line. `bits` is the working precision of what is computed from it; of two operands the
// greater one counts.
class TACIT_API Interval {
 public:
  explicit Interval(double value = 0,
                    long bits = std::numeric_limits<double>::digits);  // NaN: the whole line
  // [w, w + 1]·2^(−64·words), w the words as one integer, first word first.
  static Interval of_digits(std::uint64_t first, std::span<const std::uint64_t> rest, long bits);

  // The same ends and precision as text, and back. Error for any other text.
  std::string text() const;
  static Interval from_text(std::string_view text);

  Interval(const Interval& other);
  Interval(Interval&& other) noexcept;
  Interval& operator=(Interval other) noexcept;
  ~Interval();

  long bits() const;
  double lower() const;  // rounded down
  double upper() const;  // rounded up
  // How many leading bits of the value are certain; negative when not even its sign is.
  long certain_bits() const;
  // floor(x), if it is the same for every x between the ends; rounded to the nearest double.
  std::optional<double> common_floor() const;
  // The same number, widened by ±radius.
  Interval widened(const Interval& radius) const;
  Interval times_power_of_two(long exponent) const;

  // Certain: every number of a is below every number of b.
  friend TACIT_API bool operator<(const Interval& a, const Interval& b);
  friend bool operator>(const Interval& a, const Interval& b) { return b < a; }

  friend TACIT_API Interval operator-(const Interval& a);
  friend TACIT_API Interval operator+(const Interval& a, const Interval& b);
  friend TACIT_API Interval operator-(const Interval& a, const Interval& b);
  friend TACIT_API Interval operator*(const Interval& a, const Interval& b);
  friend TACIT_API Interval operator/(const Interval& a, const Interval& b);
  friend Interval operator+(const Interval& a, double b) { return a + Interval(b); }
  friend Interval operator-(const Interval& a, double b) { return a - Interval(b); }
  friend Interval operator*(const Interval& a, double b) { return a * Interval(b); }
  friend Interval operator/(const Interval& a, double b) { return a / Interval(b); }
  Interval& operator+=(const Interval& b) { return *this = *this + b; }
  Interval& operator-=(const Interval& b) { return *this = *this - b; }
  Interval& operator*=(const Interval& b) { return *this = *this * b; }
  Interval& operator/=(const Interval& b) { return *this = *this / b; }

  friend TACIT_API Interval exp(const Interval& a);
  friend TACIT_API Interval log(const Interval& a);
  friend TACIT_API Interval log1p(const Interval& a);
  friend TACIT_API Interval sqrt(const Interval& a);
  // Of a number that is known to be ≥ 0, though its lower end may not be.
  friend Interval sqrt_of_positive(const Interval& a) { return sqrt(max(a, Interval(0))); }
  friend TACIT_API Interval square(const Interval& a);
  friend TACIT_API Interval abs(const Interval& a);
  friend TACIT_API Interval max(const Interval& a, const Interval& b);
  friend TACIT_API Interval min(const Interval& a, const Interval& b);
  friend TACIT_API Interval hull(const Interval& a, const Interval& b);  // holds what either holds
  friend TACIT_API Interval cos_pi(const Interval& a);                   // cos(πa)
  friend TACIT_API Interval sin_pi(const Interval& a);
  friend TACIT_API Interval erfc(const Interval& a);
  friend Interval tail_ratio(const Interval& x, long terms);
  friend TACIT_API Interval normal_cdf(const Interval& a);  // the normal distribution function

 private:
  struct Ends;
  explicit Interval(std::unique_ptr<Ends> ends);
  template <class F>
  static Interval make(long bits, F fill);
  template <class F>
  static Interval rising(const Interval& a, F f);

  std::unique_ptr<Ends> ends_;  // none once moved from
};

// MPFR keeps constants and spare integers for each thread. Intervals see to it that they are freed; so does
// this for code that calls MPFR itself.
void free_mpfr_caches_at_thread_end();

// Evaluates f(bits) with growing precision until its value is certain to 60 bits, or to `max_bits` of work:
// then the enclosure is wide, but still one.
template <class F>
Interval evaluate(F f, long max_bits = 4096) {
  for (long bits = 128;; bits *= 2) {
    Interval y = f(bits);
    if (y.certain_bits() >= 60 || bits >= max_bits) return y;
  }
}

}  // namespace tacit::inline v1
