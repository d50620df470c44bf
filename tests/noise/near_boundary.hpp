#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "support/number.hpp"
#include "tacit/meter.hpp"

// Tools for building random bits whose noise lands next to a rounding boundary, and for knowing the right
// answer from the same bits, by 640-bit arithmetic that shares no code with the samplers.

namespace tacit::testing {

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
  static Digits of(const Number& value) {
    Number rest = value;
    Digits digits;
    for (std::size_t i = 0; i < words; ++i) {
      rest = rest.shifted(64);
      digits.word.push_back(rest.to_word());
      rest = rest - Number::of_word(digits.word.back());
    }
    return digits;
  }
  Number value() const {
    Number sum;
    for (std::size_t i = 0; i < word.size(); ++i)
      sum = sum + Number::of_word(word[i]).shifted(-64 * static_cast<long>(i + 1));
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

// floor(cells + 1/2), and how far cells is from the boundary below or above.
struct Rounded {
  double cells = 0, distance = 0;
};
inline Rounded reference_round(const Number& cells) {
  const Number shifted = cells + Number(0.5), whole = floor(shifted), above = shifted - whole;
  const double fraction = above.to_double(), rest = (Number(1) - above).to_double();
  const double distance = fraction < rest ? fraction : rest;
  // The reference's own errors, of 640 binary digits in numbers below 2^60, are far below this.
  if (distance < 0x1p-400) throw std::runtime_error("the reference cannot tell");
  return {whole.to_double(), distance};
}

// The rounding boundary nearest to `cells`, moved by ±2^−bits.
inline Number near_boundary(const Number& cells, int bits, bool above) {
  return Number(reference_round(cells + Number(0.5)).cells - 0.5) + Number(above ? 1 : -1).shifted(-bits);
}

}  // namespace tacit::testing
