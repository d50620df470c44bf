#include "data/siphash.hpp"

#include <gtest/gtest.h>

namespace tacit {
namespace {

// The key of the published vectors: the bytes 00 01 … 0f, as two little-endian words.
constexpr HashKey published{0x0706050403020100u, 0x0f0e0d0c0b0a0908u};

// [Aumasson–Bernstein 2012, appendix A]: the bytes 00 01 … 0e.
TEST(SipHash, GivesThePublishedValue) {
  std::string message;
  for (char c = 0; c < 15; ++c) message += c;
  EXPECT_EQ(siphash_2_4(published, message), 0xa129ca6149be45e5u);
}

// From the vectors beside the reference implementation: messages of 0, 1 and 8 bytes.
TEST(SipHash, GivesTheReferenceValuesAtTheEdgesOfAWord) {
  std::string message;
  EXPECT_EQ(siphash_2_4(published, message), 0x726fdb47dd0e0e31u);
  message += '\0';
  EXPECT_EQ(siphash_2_4(published, message), 0x74f839c593dc67fdu);
  for (char c = 1; c < 8; ++c) message += c;
  EXPECT_EQ(siphash_2_4(published, message), 0x93f5f5799a932462u);
}

}  // namespace
}  // namespace tacit
