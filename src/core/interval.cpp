#include "core/interval.hpp"

#include <mpfi.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tacit::inline v1 {

namespace {

struct ThreadCaches {
  ThreadCaches() = default;
  ThreadCaches(const ThreadCaches&) = delete;
  ThreadCaches& operator=(const ThreadCaches&) = delete;
  ~ThreadCaches() { mpfr_free_cache(); }
};
// The widest range of exponents while an operation runs: e^x is finite up to x = 3·10^18. The range that the
// calling program set for its own use of MPFR comes back.
class WideExponents {
 public:
  WideExponents() : least_(mpfr_get_emin()), most_(mpfr_get_emax()) {
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
  WideExponents(const WideExponents&) = delete;
  WideExponents& operator=(const WideExponents&) = delete;
  ~WideExponents() {
    mpfr_set_emin(least_);
    mpfr_set_emax(most_);
  }

 private:
  mpfr_exp_t least_, most_;
};

// low and high around f(x), by one evaluation: `f` rounds as asked and tells whether it had to.
template <class F>
void around(mpfr_ptr low, mpfr_ptr high, mpfr_srcptr x, F f) {
  const bool exact = f(low, x, MPFR_RNDD) == 0;
  mpfr_set(high, low, MPFR_RNDU);
  if (!exact) mpfr_nextabove(high);
}

}  // namespace

void free_mpfr_caches_at_thread_end() { thread_local ThreadCaches caches; }

struct Interval::Ends {
  mpfi_t x;
  explicit Ends(long bits) {
    free_mpfr_caches_at_thread_end();
    mpfi_init2(x, bits);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  ~Ends() { mpfi_clear(x); }

  mpfr_ptr low() { return &x->left; }
  mpfr_ptr high() { return &x->right; }
  bool is_point() const { return mpfr_equal_p(&x->left, &x->right) != 0; }
  void become_the_line() {
    mpfr_set_inf(low(), -1);
    mpfr_set_inf(high(), 1);
  }
};

Interval::Interval(std::unique_ptr<Ends> ends) : ends_(std::move(ends)) {}
Interval::Interval(Interval&& other) noexcept = default;
Interval::~Interval() = default;
Interval& Interval::operator=(Interval other) noexcept {
  ends_.swap(other.ends_);
  return *this;
}
Interval::Interval(const Interval& other) : ends_(std::make_unique<Ends>(other.bits())) {
  mpfr_set(ends_->low(), other.ends_->low(), MPFR_RNDD);
  mpfr_set(ends_->high(), other.ends_->high(), MPFR_RNDU);
}
Interval::Interval(double value, long bits) : ends_(std::make_unique<Ends>(bits)) {
  mpfr_set_d(ends_->low(), value, MPFR_RNDD);
  mpfr_set_d(ends_->high(), value, MPFR_RNDU);
  if (mpfr_nan_p(ends_->low())) ends_->become_the_line();
}

// What `fill` writes into the ends; the whole line where an end is no number.
template <class F>
Interval Interval::make(long bits, F fill) {
  const WideExponents wide;
  auto ends = std::make_unique<Ends>(bits);
  fill(*ends);
  if (mpfr_nan_p(ends->low()) || mpfr_nan_p(ends->high())) ends->become_the_line();
  return Interval(std::move(ends));
}

Interval Interval::of_digits(std::uint64_t first, std::span<const std::uint64_t> rest, long bits) {
  static_assert(sizeof(unsigned long) == sizeof(std::uint64_t));
  const long digits = 64 * (static_cast<long>(rest.size()) + 1);
  return make(bits, [&](Ends& y) {
    mpz_t integer;
    mpz_init_set_ui(integer, first);
    for (const std::uint64_t word : rest) {
      mpz_mul_2exp(integer, integer, 64);
      mpz_add_ui(integer, integer, word);
    }
    mpfr_set_z_2exp(y.low(), integer, -digits, MPFR_RNDD);
    mpz_add_ui(integer, integer, 1);
    mpfr_set_z_2exp(y.high(), integer, -digits, MPFR_RNDU);
    mpz_clear(integer);
  });
}

// The precision and both ends, in hexadecimal: exactly.
std::string Interval::text() const {
  const WideExponents wide;
  char* digits = nullptr;
  if (mpfr_asprintf(&digits, "%ld %Ra %Ra", bits(), ends_->low(), ends_->high()) < 0)
    throw_error<Error>("an interval cannot be written as text");
  std::string text = digits;
  mpfr_free_str(digits);
  return text;
}

Interval Interval::from_text(std::string_view text) {
  const std::string whole(text);  // with a zero at its end
  char* rest = nullptr;
  const long bits = std::strtol(whole.c_str(), &rest, 10);
  const auto wrong = [] { throw_error<Error>("a text between processes is not an interval"); };
  if (bits < MPFR_PREC_MIN || bits > MPFR_PREC_MAX) wrong();
  return make(bits, [&](Ends& y) {
    for (const auto& [end, rounding] : {std::pair(y.low(), MPFR_RNDD), std::pair(y.high(), MPFR_RNDU)}) {
      const char* from = rest;
      mpfr_strtofr(end, from, &rest, 0, rounding);
      if (rest == from) wrong();
    }
    if (*rest != 0 || mpfr_greater_p(y.low(), y.high())) wrong();
  });
}

long Interval::bits() const { return mpfr_get_prec(ends_->low()); }
double Interval::lower() const { return mpfr_get_d(ends_->low(), MPFR_RNDD); }
double Interval::upper() const { return mpfr_get_d(ends_->high(), MPFR_RNDU); }

long Interval::certain_bits() const {
  if (ends_->is_point() && mpfr_number_p(ends_->low())) return std::numeric_limits<long>::max();
  if (!mpfi_bounded_p(ends_->x) || mpfi_has_zero(ends_->x)) return -1;
  const Interval width = make(32, [&](Ends& y) {
    mpfr_sub(y.low(), ends_->high(), ends_->low(), MPFR_RNDU);
    mpfr_set(y.high(), y.low(), MPFR_RNDU);
  });
  return std::min(mpfr_get_exp(ends_->low()), mpfr_get_exp(ends_->high())) -
         mpfr_get_exp(width.ends_->high()) - 1;
}

std::optional<double> Interval::common_floor() const {
  if (!mpfi_bounded_p(ends_->x)) return std::nullopt;
  const Interval floors = make(bits(), [&](Ends& y) {  // a floor has no more digits than its number
    mpfr_rint_floor(y.low(), ends_->low(), MPFR_RNDD);
    mpfr_rint_floor(y.high(), ends_->high(), MPFR_RNDU);
  });
  if (!floors.ends_->is_point()) return std::nullopt;
  return mpfr_get_d(floors.ends_->low(), MPFR_RNDN) + 0.0;  // 0 rather than −0
}

Interval Interval::widened(const Interval& radius) const {
  return make(bits(), [&](Ends& y) {
    mpfr_sub(y.low(), ends_->low(), radius.ends_->high(), MPFR_RNDD);
    mpfr_add(y.high(), ends_->high(), radius.ends_->high(), MPFR_RNDU);
  });
}

Interval Interval::times_power_of_two(long exponent) const {
  return make(bits(), [&](Ends& y) {
    mpfr_mul_2si(y.low(), ends_->low(), exponent, MPFR_RNDD);
    mpfr_mul_2si(y.high(), ends_->high(), exponent, MPFR_RNDU);
  });
}

bool operator<(const Interval& a, const Interval& b) {
  return mpfr_less_p(a.ends_->high(), b.ends_->low()) != 0;
}

Interval operator-(const Interval& a) {
  return Interval::make(a.bits(), [&](auto& y) { mpfi_neg(y.x, a.ends_->x); });
}
Interval operator+(const Interval& a, const Interval& b) {
  return Interval::make(std::max(a.bits(), b.bits()),
                        [&](auto& y) { mpfi_add(y.x, a.ends_->x, b.ends_->x); });
}
Interval operator-(const Interval& a, const Interval& b) {
  return Interval::make(std::max(a.bits(), b.bits()),
                        [&](auto& y) { mpfi_sub(y.x, a.ends_->x, b.ends_->x); });
}
Interval operator*(const Interval& a, const Interval& b) {
  const auto undefined = [](const Interval& x, const Interval& y) {
    return !mpfi_bounded_p(x.ends_->x) && mpfi_has_zero(y.ends_->x);
  };
  return Interval::make(std::max(a.bits(), b.bits()), [&](auto& y) {
    if (undefined(a, b) || undefined(b, a))
      y.become_the_line();
    else
      mpfi_mul(y.x, a.ends_->x, b.ends_->x);
  });
}
Interval operator/(const Interval& a, const Interval& b) {
  return Interval::make(std::max(a.bits(), b.bits()), [&](auto& y) {
    if (mpfi_has_zero(b.ends_->x))
      y.become_the_line();
    else
      mpfi_div(y.x, a.ends_->x, b.ends_->x);
  });
}

// f(a) of a function that rises, or is NaN (where it is undefined).
template <class F>
Interval Interval::rising(const Interval& a, F f) {
  return make(a.bits(), [&](Ends& y) {
    if (a.ends_->is_point()) return around(y.low(), y.high(), a.ends_->low(), f);
    f(y.low(), a.ends_->low(), MPFR_RNDD);
    f(y.high(), a.ends_->high(), MPFR_RNDU);
  });
}

Interval exp(const Interval& a) { return Interval::rising(a, mpfr_exp); }
Interval log(const Interval& a) { return Interval::rising(a, mpfr_log); }
Interval log1p(const Interval& a) { return Interval::rising(a, mpfr_log1p); }
Interval sqrt(const Interval& a) { return Interval::rising(a, mpfr_sqrt); }
Interval square(const Interval& a) {
  return Interval::make(a.bits(), [&](auto& y) { mpfi_sqr(y.x, a.ends_->x); });
}
Interval abs(const Interval& a) {
  return Interval::make(a.bits(), [&](auto& y) { mpfi_abs(y.x, a.ends_->x); });
}
Interval max(const Interval& a, const Interval& b) {
  return Interval::make(std::max(a.bits(), b.bits()), [&](auto& y) {
    mpfr_max(y.low(), a.ends_->low(), b.ends_->low(), MPFR_RNDD);
    mpfr_max(y.high(), a.ends_->high(), b.ends_->high(), MPFR_RNDU);
  });
}
Interval min(const Interval& a, const Interval& b) { return -max(-a, -b); }
Interval hull(const Interval& a, const Interval& b) {
  return Interval::make(std::max(a.bits(), b.bits()), [&](auto& y) {
    mpfr_min(y.low(), a.ends_->low(), b.ends_->low(), MPFR_RNDD);
    mpfr_max(y.high(), a.ends_->high(), b.ends_->high(), MPFR_RNDU);
  });
}

// Its extremes between the ends are ±1 at whole numbers, and the ends themselves.
Interval cos_pi(const Interval& a) {
  if (!mpfi_bounded_p(a.ends_->x)) return hull(Interval(-1, a.bits()), Interval(1, a.bits()));
  const auto at = [&](mpfr_srcptr x) {
    return Interval::make(a.bits(), [&](auto& y) { around(y.low(), y.high(), x, mpfr_cospi); });
  };
  Interval result = at(a.ends_->low());
  if (!a.ends_->is_point()) result = hull(result, at(a.ends_->high()));
  // The first whole numbers that a holds; of two neighbours one is at 1 and one at −1.
  Interval whole = Interval::make(a.bits() + 1, [&](auto& y) {
    mpfr_rint_ceil(y.low(), a.ends_->low(), MPFR_RNDD);
    mpfr_set(y.high(), y.low(), MPFR_RNDU);
  });
  for (int k = 0; k < 2 && mpfr_lessequal_p(whole.ends_->low(), a.ends_->high()); ++k) {
    result = hull(result, at(whole.ends_->low()));
    whole = whole + 1.0;
  }
  return result;
}
Interval sin_pi(const Interval& a) { return cos_pi(a - 0.5); }

// R₀ of erfc(x) = e^(−x²)/(√π·R₀), x > 0. The repeated integrals iᵏerfc of erfc are positive, and their
// recurrence makes Rₖ = i^(k−1)erfc/(2·iᵏerfc) satisfy Rₖ = x + (k+1)/2/Rₖ₊₁: so x < Rₖ < x + (k+1)/(2x), and
// with this as the start at k = terms each step back shrinks the enclosure.
Interval tail_ratio(const Interval& x, long terms) {
  Interval ratio = x + Interval(0.5 * static_cast<double>(terms + 1)) / x;
  return Interval::make(x.bits(), [&](auto& y) {
    mpfr_set(y.low(), x.ends_->low(), MPFR_RNDD);
    mpfr_set(y.high(), ratio.ends_->high(), MPFR_RNDU);
    for (long k = terms; k > 0; --k) {
      auto& next = *ratio.ends_;
      mpfr_ui_div(next.low(), static_cast<unsigned long>(k), y.high(), MPFR_RNDD);
      mpfr_ui_div(next.high(), static_cast<unsigned long>(k), y.low(), MPFR_RNDU);
      mpfr_mul_2si(next.low(), next.low(), -1, MPFR_RNDD);
      mpfr_mul_2si(next.high(), next.high(), -1, MPFR_RNDU);
      mpfr_add(y.low(), x.ends_->low(), next.low(), MPFR_RNDD);
      mpfr_add(y.high(), x.ends_->high(), next.high(), MPFR_RNDU);
    }
  });
}

// MPFR's own erfc is slow where its asymptotic series does not reach. Few terms are enough above 3; where
// many would be needed, MPFR's is as good.
Interval erfc(const Interval& x) {
  constexpr long most_terms = 400;
  const double low = x.lower(), reach = 0.75 * static_cast<double>(x.bits()) / low;
  if (low >= 3 && reach * reach / 8 < most_terms) {
    const Interval pi = Interval::make(x.bits(), [](auto& y) { mpfi_const_pi(y.x); });
    return exp(-square(x)) /
           (sqrt(pi) * tail_ratio(x, static_cast<long>(reach * reach / 8) + x.bits() / 8 + 10));
  }
  if (x.upper() <= -3) return Interval(2, x.bits()) - erfc(-x);
  return Interval::make(x.bits(), [&](auto& y) {
    mpfr_erfc(y.low(), x.ends_->high(), MPFR_RNDD);
    mpfr_erfc(y.high(), x.ends_->low(), MPFR_RNDU);
  });
}

Interval normal_cdf(const Interval& a) {
  return erfc(-a / sqrt(Interval(2, a.bits()))).times_power_of_two(-1);
}

}  // namespace tacit::inline v1
