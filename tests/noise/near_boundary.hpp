#pragma once

#include <arb.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "noise/ball.hpp"
#include "tacit/meter.hpp"

// Tools for building random bits whose noise lands next to a rounding boundary, and for knowing the right
// answer from the same bits, by 640-bit arithmetic that shares no code with the samplers.

namespace tacit::testing {

inline constexpr slong reference_precision = 640;

// A uniform real given by 512 binary digits, first word first. What the digits leave open (2^−512) is far
// below every distance that the tests build.
struct Digits {
  static constexpr std::size_t words = 8;
  std::vector<std::uint64_t> word;

  static Digits random(BitSource& bits) {
    Digits digits{std::vector<std::uint64_t>(words)};
    bits.fill(digits.word);
    return digits;
  }
  // The digits of a number in (0, 1).
  static Digits of(const noise::Ball& value) {
    noise::Ball rest = value;
    Digits digits;
    for (std::size_t i = 0; i < words; ++i) {
      arb_mul_2exp_si(rest.get(), rest.get(), 64);
      noise::Ball whole;
      arf_floor(arb_midref(whole.get()), arb_midref(rest.get()));
      fmpz_t integer;
      fmpz_init(integer);
      arf_get_fmpz(integer, arb_midref(whole.get()), ARF_RND_DOWN);
      digits.word.push_back(fmpz_get_ui(integer));
      fmpz_clear(integer);
      arb_sub(rest.get(), rest.get(), whole.get(), reference_precision);
    }
    return digits;
  }
  noise::Ball value() const {
    noise::Ball sum, term;
    for (std::size_t i = 0; i < word.size(); ++i) {
      arb_set_ui(term.get(), word[i]);
      arb_mul_2exp_si(term.get(), term.get(), -64 * static_cast<slong>(i + 1));
      arb_add(sum.get(), sum.get(), term.get(), reference_precision);
    }
    return sum;
  }
};

// Hands out given words, in the order of the calls.
class ScriptedBits final : public BitSource {
 public:
  void add(std::uint64_t word) { script_.push_back(word); }
  void add(const Digits& digits, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) add(digits.word.at(i));
  }
  void fill(std::span<std::uint64_t> words) override {
    for (auto& word : words) {
      if (script_.empty()) throw std::runtime_error("the script of bits is too short");
      word = script_.front();
      script_.pop_front();
    }
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "scripted test bits"; }

 private:
  std::deque<std::uint64_t> script_;
};

// Small expressions on balls at the reference precision.
inline noise::Ball apply(void (*f)(arb_t, const arb_t, slong), const noise::Ball& a) {
  noise::Ball result;
  f(result.get(), a.get(), reference_precision);
  return result;
}
inline noise::Ball apply(void (*f)(arb_t, const arb_t, const arb_t, slong), const noise::Ball& a,
                         const noise::Ball& b) {
  noise::Ball result;
  f(result.get(), a.get(), b.get(), reference_precision);
  return result;
}
inline noise::Ball operator+(const noise::Ball& a, const noise::Ball& b) { return apply(arb_add, a, b); }
inline noise::Ball operator-(const noise::Ball& a, const noise::Ball& b) { return apply(arb_sub, a, b); }
inline noise::Ball operator*(const noise::Ball& a, const noise::Ball& b) { return apply(arb_mul, a, b); }
inline noise::Ball operator/(const noise::Ball& a, const noise::Ball& b) { return apply(arb_div, a, b); }
inline noise::Ball log(const noise::Ball& a) { return apply(arb_log, a); }
inline noise::Ball exp(const noise::Ball& a) { return apply(arb_exp, a); }
inline noise::Ball sqrt(const noise::Ball& a) { return apply(arb_sqrt, a); }
inline noise::Ball cos_2pi(const noise::Ball& a) { return apply(arb_cos_pi, a + a); }
inline noise::Ball sin_2pi(const noise::Ball& a) { return apply(arb_sin_pi, a + a); }

// floor(cells + 1/2), and how far cells is from the boundary below or above.
struct Rounded {
  double cells = 0, distance = 0;
};
inline Rounded reference_round(const noise::Ball& cells) {
  const noise::Ball shifted = cells + noise::Ball(0.5);
  noise::Ball whole;
  arb_floor(whole.get(), shifted.get(), reference_precision);
  const noise::Ball above = shifted - whole;
  const double fraction = arf_get_d(arb_midref(above.get()), ARF_RND_NEAR);
  const noise::Ball below = noise::Ball(1) - above;
  const double rest = arf_get_d(arb_midref(below.get()), ARF_RND_NEAR);
  if (!arb_is_exact(whole.get())) throw std::runtime_error("the reference cannot tell");
  return {arf_get_d(arb_midref(whole.get()), ARF_RND_NEAR), fraction < rest ? fraction : rest};
}

// The rounding boundary nearest to `cells`, moved by ±2^−bits.
inline noise::Ball near_boundary(const noise::Ball& cells, int bits, bool above) {
  noise::Ball target(reference_round(cells + noise::Ball(0.5)).cells - 0.5), step(above ? 1.0 : -1.0);
  arb_mul_2exp_si(step.get(), step.get(), -bits);
  return target + step;
}

}  // namespace tacit::testing
