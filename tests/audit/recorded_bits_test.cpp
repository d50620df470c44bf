#include "audit/replay/recorded_bits.hpp"

#include <gtest/gtest.h>

#include "support/seeded_bits.hpp"
#include "tacit/mechanisms.hpp"
#include "tacit/meter.hpp"
#include "tacit/root_meter.hpp"

namespace tacit {
namespace {

std::vector<std::uint64_t> draw(BitSource& bits, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  bits.fill(words);
  return words;
}

TEST(RecordedBits, GiveTheSameAfterRewindHoweverTheyAreAskedFor) {
  const auto source = testing::seeded_bits(1);
  audit::RecordedBits bits(*source);
  const auto all = draw(bits, 10);
  bits.rewind();
  auto again = draw(bits, 3);
  for (const std::size_t more : {4u, 0u, 3u})
    for (const std::uint64_t word : draw(bits, more)) again.push_back(word);
  EXPECT_EQ(again, all);
}

TEST(RecordedBits, GoOnWithNewBitsWhereTheRecordEnds) {
  const auto source = testing::seeded_bits(1), same = testing::seeded_bits(1);
  audit::RecordedBits bits(*source);
  draw(bits, 4);
  bits.rewind();
  EXPECT_EQ(draw(bits, 9), draw(*same, 9));
}

TEST(RecordedBits, NeverPassForPrivateBits) {
  const auto source = noise::system_bits();
  ASSERT_FALSE(source->seeded());
  audit::RecordedBits bits(*source);
  RootMeter meter({.limit = Pure{1}}, bits);
  const Sensitive<Vector> x(Vector::Zero(1), {.value = 1, .reason = "test"}, Neighbours::replace_one);
  noise::isotropic_laplace(x, 1, 1, meter);
  EXPECT_TRUE(certify("test", meter, {}, {}).seeded);
}

}  // namespace
}  // namespace tacit
