#include "noise/coins.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/numbers.hpp"
#include "near_boundary.hpp"
#include "support/seeded_bits.hpp"
#include "tacit/core.hpp"

namespace tacit {
namespace {

// Deviation of a count from its binomial mean in standard deviations; 6.2 is a false-alarm rate of 1e-9.
double deviation(double count, double n, double p) {
  return std::abs(count - n * p) / std::sqrt(n * p * (1 - p));
}

TEST(Coins, BernoulliHasItsProbability) {
  constexpr int n = 200'000;
  const auto bits = testing::seeded_bits(1);
  for (const double p : {0.001, 0.3, 0.5, 0.999}) {
    int heads = 0;
    for (int i = 0; i < n; ++i) heads += noise::bernoulli(p, *bits);
    EXPECT_LT(deviation(heads, n, p), 6.2) << p;
    EXPECT_GT(deviation(heads, n, p < 0.9 ? p + 0.02 : p - 0.02), 6.2)
        << p;  // control: a probability that is off
  }
  EXPECT_FALSE(noise::bernoulli(0, *bits));
  EXPECT_TRUE(noise::bernoulli(1, *bits));
  for (const double bad : {-0.1, 1.1, std::nan("")}) EXPECT_THROW(noise::bernoulli(bad, *bits), UsageError);
}

// The words that the test writes, one after the other.
class Words final : public BitSource {
 public:
  explicit Words(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  void fill(std::span<std::uint64_t> out) override {
    for (std::uint64_t& word : out) word = words_.at(next_++);
  }
  bool seeded() const override { return true; }
  std::string_view name() const override { return "words"; }
  bool used_up() const { return next_ == words_.size(); }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t next_ = 0;
};

// p = 2^−60 + 2^−100 is 16 in the first 64 digits and 2^28 in the next, and then nothing.
TEST(Coins, BernoulliComparesAllDigitsOfItsProbability) {
  const auto heads = [](std::vector<std::uint64_t> words) {
    Words bits(std::move(words));
    const bool result = noise::bernoulli(0x1p-60 + 0x1p-100, bits);
    EXPECT_TRUE(bits.used_up());
    return result;
  };
  EXPECT_TRUE(heads({15}));
  EXPECT_FALSE(heads({17}));
  EXPECT_TRUE(heads({16, (1u << 28) - 1}));
  EXPECT_FALSE(heads({16, (1u << 28) + 1}));
  EXPECT_FALSE(heads({16, 1u << 28})) << "U is not below p, whatever its other digits are";
}

TEST(Coins, BernoulliExpHasItsProbability) {
  constexpr int n = 100'000;
  const auto bits = testing::seeded_bits(2);
  for (const double x : {0.01, 0.7, 3.0}) {
    int heads = 0, third = 0;
    for (int i = 0; i < n; ++i) heads += noise::bernoulli_exp(x, *bits);
    EXPECT_LT(deviation(heads, n, std::exp(-x)), 6.2) << x;
    // x/3, which no double is, given as a real number
    const auto real = [x](long precision) { return Interval(x, precision) / 3.0; };
    for (int i = 0; i < n; ++i) third += noise::bernoulli_exp(real, *bits);
    EXPECT_LT(deviation(third, n, std::exp(-x / 3)), 6.2) << x;
  }
  EXPECT_TRUE(noise::bernoulli_exp(0.0, *bits));
  EXPECT_TRUE(noise::bernoulli_exp(-5.0, *bits));
  EXPECT_FALSE(noise::bernoulli_exp(infinity, *bits));
  EXPECT_THROW(noise::bernoulli_exp(std::nan(""), *bits), UsageError);
}

TEST(Coins, AcceptSurelyWhenTheRealExponentIsNegativeOrZero) {
  const auto bits = testing::seeded_bits(3);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_TRUE(noise::bernoulli_exp([](long precision) { return Interval(-1, precision); }, *bits));
    // zero, known only up to a radius that shrinks
    EXPECT_TRUE(noise::bernoulli_exp(
        [](long precision) {
          return Interval(0, precision).widened(Interval(1, precision).times_power_of_two(-precision));
        },
        *bits));
  }
}

TEST(Coins, ComparisonsAreRightWhereDoublesCannotTell) {
  // U built to lie 2^−60 … 2^−300 from e^(−x), on a known side.
  const auto random = testing::seeded_bits(4);
  int wrong_plain = 0;
  for (int i = 0; i < 2000; ++i) {
    std::uint64_t word;
    random->fill({&word, 1});
    const double x = static_cast<double>(word) * 0x1p-62;
    const bool below = i % 2 == 0;
    const testing::Number offset = testing::Number(below ? -1 : 1).shifted(-60 - i % 241);
    const testing::Digits digits = testing::Digits::of(exp(testing::Number(-x)) + offset);
    testing::ScriptedBits script;
    script.add(digits, 0, testing::Digits::words);
    EXPECT_EQ(noise::bernoulli_exp(x, script), below);
    wrong_plain += (static_cast<double>(digits.word[0]) * 0x1p-64 < std::exp(-x)) != below;
  }
  EXPECT_GT(wrong_plain, 600);
}

TEST(Coins, AnEnclosureThatNeverShrinksIsReported) {
  const auto bits = testing::seeded_bits(5);
  const auto stuck = [](long precision) { return Interval(1, precision).widened(Interval(8)); };
  EXPECT_THROW(noise::bernoulli_exp(stuck, *bits), Error);
}

TEST(ExponentialRace, PicksInProportionToTheWeights) {
  constexpr int n = 300'000;
  const auto bits = testing::seeded_bits(6);
  const std::vector<double> weights{1, 2, 0.001, 4, 0};
  std::vector<double> logs;
  for (const double w : weights) logs.push_back(std::log(w) + 700);  // a common factor changes nothing
  std::vector<int> won(weights.size(), 0);
  for (int i = 0; i < n; ++i) ++won[noise::exponential_race(logs, *bits)];
  for (std::size_t i = 0; i < weights.size() - 1; ++i)
    EXPECT_LT(deviation(won[i], n, weights[i] / 7.001), 6.2) << i;
  EXPECT_EQ(won[4], 0);
  EXPECT_GT(deviation(won[1], n, 2.1 / 7.1), 6.2);  // control: one weight 5 % off
}

TEST(ExponentialRace, EqualFirstWordsAreDecidedByLaterDigits) {
  const std::vector<double> logs{0, 0};
  for (const bool second : {false, true}) {
    testing::ScriptedBits script;
    for (int i = 0; i < 2; ++i) script.add(0x1234567890abcdefULL);
    script.add(second ? 9 : 7);  // the second word of the first candidate
    script.add(second ? 7 : 9);
    EXPECT_EQ(noise::exponential_race(logs, script), second ? 1u : 0u);
  }
}

TEST(ExponentialRace, HandlesHugeAndSpreadWeights) {
  const auto bits = testing::seeded_bits(7);
  const std::vector<double> huge(5, 1e300), spread{-1e300, 0, -1e300}, one{-infinity, 3};
  std::vector<int> won(5, 0);
  for (int i = 0; i < 500; ++i) ++won[noise::exponential_race(huge, *bits)];
  for (const int count : won) EXPECT_LT(deviation(count, 500, 0.2), 6.2);
  EXPECT_EQ(noise::exponential_race(spread, *bits), 1u);
  EXPECT_EQ(noise::exponential_race(one, *bits), 1u);
}

TEST(ExponentialRace, RefusesWeightsThatAreNoWeights) {
  const auto bits = testing::seeded_bits(8);
  for (const std::vector<double>& bad :
       {std::vector<double>{}, {-infinity}, {1, std::nan("")}, {infinity, 0}})
    EXPECT_THROW(noise::exponential_race(bad, *bits), UsageError);
}

}  // namespace
}  // namespace tacit
