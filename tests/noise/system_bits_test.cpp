#include "tacit/mechanisms.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "support/seeded_bits.hpp"
#include "tacit/meter.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

using Words = std::array<std::uint64_t, 4>;

Words next(BitSource& bits) {
  Words words;
  bits.fill(words);
  return words;
}

Words in_forked_child(BitSource& bits) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    const Words words = next(bits);
    const bool sent = write(pipe_ends[1], words.data(), sizeof words) == sizeof words;
    _exit(sent ? 0 : 1);
  }
  Words words{};
  EXPECT_EQ(read(pipe_ends[0], words.data(), sizeof words), static_cast<ssize_t>(sizeof words));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  return words;
}

TEST(SystemBits, AForkedChildDrawsOtherBitsThanItsParentAndSiblings) {
  const auto bits = noise::system_bits();
  next(*bits);  // keyed, and with words left in the buffer
  const Words first = in_forked_child(*bits), second = in_forked_child(*bits), parent = next(*bits);
  std::set<std::uint64_t> distinct;
  for (const Words& words : {first, second, parent}) distinct.insert(words.begin(), words.end());
  EXPECT_EQ(distinct.size(), 12u);
}

TEST(SystemBits, SeededBitsDoRepeatInAForkedChild) {  // the control for the test above
  const auto bits = testing::seeded_bits(1);
  const Words child = in_forked_child(*bits);
  EXPECT_EQ(child, next(*bits));
}

TEST(SystemBits, TwoSourcesAndAllFillSizesGiveDistinctWords) {
  const auto a = noise::system_bits(), b = noise::system_bits();
  std::set<std::uint64_t> distinct;
  std::size_t total = 0;
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 1000u, 3u})
    for (BitSource* bits : {a.get(), b.get()}) {
      std::vector<std::uint64_t> words(size);
      bits->fill(words);
      distinct.insert(words.begin(), words.end());
      total += size;
    }
  EXPECT_EQ(distinct.size(), total);
}

// Every bit position of 2^20 words: ones are binomial; adjacent words agree in half of their bits. 6.7
// standard deviations are a false-alarm rate of 1e-9 over the 64 + 1 comparisons. Small and large requests
// alternate.
double worst_bias(BitSource& bits) {
  constexpr std::size_t n = 1 << 20;
  std::vector<std::uint64_t> words(n);
  for (std::size_t i = 0; i < n; i += 1024) {
    bits.fill(std::span(words).subspan(i, 1000));
    bits.fill(std::span(words).subspan(i + 1000, 24));
  }
  double worst = 0, agreeing = 0;
  for (int position = 0; position < 64; ++position) {
    const auto ones = std::ranges::count_if(words, [&](std::uint64_t w) { return (w >> position & 1) != 0; });
    worst = std::max(worst, std::abs(static_cast<double>(ones) - n / 2.0) / std::sqrt(n / 4.0));
  }
  for (std::size_t i = 0; i + 1 < n; ++i) agreeing += std::popcount(words[i] ^ words[i + 1]);
  return std::max(worst, std::abs(agreeing - 32.0 * (n - 1)) / std::sqrt(16.0 * n));
}

TEST(SystemBits, AreUnbiasedInEveryPosition) { EXPECT_LT(worst_bias(*noise::system_bits()), 6.7); }
TEST(SystemBits, SeededBitsAreUnbiasedInEveryPosition) {
  EXPECT_LT(worst_bias(*testing::seeded_bits(5)), 6.7);
}

TEST(SystemBits, ASeededReleaseSaysSoAndASystemReleaseDoesNot) {
  const auto seeded = testing::seeded_bits(1), system = noise::system_bits();
  const Budget budget{Pure{1}, Unit::item, Neighbours::replace_one};
  const RootMeter test_meter(budget, *seeded), release_meter(budget, *system);
  EXPECT_TRUE(certify("test", test_meter, {}, {}).seeded);
  EXPECT_FALSE(certify("test", release_meter, {}, {}).seeded);
  EXPECT_NE(certify("test", release_meter, {}, {}).bit_source,
            certify("test", test_meter, {}, {}).bit_source);
}

}  // namespace
}  // namespace tacit
