// Claim: the fast path's error bounds hold, against 256-bit arithmetic, for ordinary words and for the
// extreme ones, with every set of kernels; and SLEEF keeps its stated bounds, of which the kernels assume
// only half.

#include "noise/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "near_boundary.hpp"
#include "support/seeded_bits.hpp"

namespace tacit {
namespace {

using testing::Number;

constexpr std::size_t count = 1 << 15;

// Random words, and words with long runs of zeros or ones at the top.
std::vector<std::uint64_t> trying_words(std::uint64_t seed) {
  std::vector<std::uint64_t> words(count);
  testing::seeded_bits(seed)->fill(words);
  for (std::size_t i = 0; i < count; ++i) {
    const int shift = static_cast<int>(i / 8 % 60);
    if (i % 4 == 1) words[i] = words[i] >> shift | 1;
    if (i % 4 == 2) words[i] = ~(words[i] >> shift);
  }
  words[0] = 1;
  words[4] = ~std::uint64_t{0};
  words[8] = std::uint64_t{1} << 63;
  return words;
}

constexpr long bits = 256;
Number exactly(double x) { return Number(x, bits); }
double distance(double approximation, const Number& truth) {
  return std::abs((exactly(approximation) - truth).to_double());
}

// U from the first word and from the words that the unread digits allow at the ends.
std::array<Number, 2> ends(std::uint64_t word) {
  const Number low = Number::of_word(word, bits);
  return {low.shifted(-64), (low + exactly(1)).shifted(-64)};
}

class KernelBounds : public ::testing::TestWithParam<const noise::Kernels* (*)()> {
 protected:
  const noise::Kernels& kernels() const { return *GetParam()(); }
};

TEST_P(KernelBounds, BoxMullerIsWithinItsBoundWhateverTheUnreadDigits) {
  const std::vector<std::uint64_t> radius = trying_words(5), angle = trying_words(6);
  std::vector<double> cosine(count), sine(count), t(count), error(count);
  kernels().box_muller(radius.data(), angle.data(), cosine.data(), sine.data(), t.data(), error.data(),
                       count);
  double worst = 0;
  for (std::size_t i = 0; i < count; ++i)
    for (const Number& v : ends(angle[i])) {
      const Number along = cos_2pi(v), across = sin_2pi(v);
      for (const Number& u : ends(radius[i])) {
        const Number length = sqrt(abs(log(u)).shifted(1));
        const double gap = std::max(distance(cosine[i], length * along), distance(sine[i], length * across));
        if (std::isfinite(error[i])) worst = std::max(worst, gap / error[i]);
      }
    }
  EXPECT_LT(worst, 1 / 1.02);  // the room that Kernels::round counts on
  EXPECT_GT(worst, 0.3);       // a bound far too wide would send ordinary draws to the slow path
}

TEST_P(KernelBounds, LogarithmsAreWithinTheBoundThatSleefStates) {
  std::vector<double> uniform(count);
  const std::vector<std::uint64_t> words = trying_words(7);
  kernels().to_uniform(words.data(), uniform.data(), count);
  std::vector<double> logs = uniform;
  kernels().minus_log(logs.data(), count);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(uniform[i], static_cast<double>(words[i]) * 0x1p-64);
    const Number truth = abs(log(exactly(uniform[i])));
    ASSERT_LE(distance(logs[i], truth), 0x1p-52 * std::abs(logs[i])) << uniform[i];
  }
}

TEST_P(KernelBounds, SineAndCosineAreWithinTwiceTheBoundThatSleefStates) {
  // With U = e^(−1/2) rounded, the radius is 1 up to rounding: what is left is sine and cosine, 1 ULP
  // assumed.
  const std::vector<std::uint64_t> angle = trying_words(8);
  const std::vector<std::uint64_t> radius(count, static_cast<std::uint64_t>(std::exp(-0.5) * 0x1p64));
  std::vector<double> cosine(count), sine(count), t(count), error(count);
  kernels().box_muller(radius.data(), angle.data(), cosine.data(), sine.data(), t.data(), error.data(),
                       count);
  const double length = std::sqrt(2 * t[0]);
  for (std::size_t i = 0; i < count; ++i) {
    const double a = static_cast<double>(static_cast<std::int64_t>(angle[i])) * 0x1p-64;
    const Number c = cos_2pi(exactly(a)) * exactly(length), s = sin_2pi(exactly(a)) * exactly(length);
    // 1 ULP of the function, half of one for the product
    ASSERT_LE(distance(cosine[i], c), 1.5 * 0x1p-52 * std::abs(cosine[i])) << a;
    ASSERT_LE(distance(sine[i], s), 1.5 * 0x1p-52 * std::abs(sine[i])) << a;
  }
}

TEST_P(KernelBounds, RoundingLeavesOpenWhatTheBoundDoesNotDecide) {
  const std::array<double, 8> x{0.25, 0.5, 0.5, 0.75, 3.25, -0.0, 1e300, std::nan("")};
  const std::array<double, 8> z{0, 0, 0x1p-40, 0, 1, -0.25, 0, 0};
  const std::array<double, 8> error{0.2, 0, 0x1p-42, 0.3, std::nan(""), 0.1, 0, 0};
  std::array<double, 8> out{};
  const noise::BlockRounding rounding{
      .grid = 1, .inverse_grid = 1, .range = 8, .multiplier = 1, .relative_error = 0};
  EXPECT_FALSE(kernels().round(x.data(), z.data(), error.data(), out.data(), x.size(), rounding));
  EXPECT_TRUE(kernels().round(x.data(), z.data(), error.data(), out.data(), 1, rounding));
  EXPECT_EQ(out[0], 0);
  EXPECT_TRUE(std::isnan(out[1]));  // on the boundary
  EXPECT_EQ(out[2], 1);
  EXPECT_TRUE(std::isnan(out[3]));                      // the error reaches the boundary
  EXPECT_TRUE(std::isnan(out[4]));                      // no bound
  EXPECT_EQ(std::bit_cast<std::uint64_t>(out[5]), 0u);  // not −0
  EXPECT_EQ(out[6], 8);
  EXPECT_EQ(out[7], -8);
}

TEST_P(KernelBounds, HugeNoiseIsLeftToTheSlowPath) {
  const std::array<double, 4> x{}, z{0x1p51, -0x1p60, 0x1p50 + 0.25, 1e300}, error{};
  std::array<double, 4> out{};
  EXPECT_FALSE(kernels().round(x.data(), z.data(), error.data(), out.data(), 4, noise::BlockRounding{}));
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]) && std::isnan(out[3]));
}

INSTANTIATE_TEST_SUITE_P(AllKernels, KernelBounds,
                         ::testing::Values(
                             +[] { return &noise::best_kernels(); },
                             +[] { return &noise::portable_kernels(); }),
                         [](const auto& run) { return run.index == 0 ? "Best" : "Portable"; });

}  // namespace
}  // namespace tacit
