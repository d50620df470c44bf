#include "tacit/core.hpp"

#include <gtest/gtest.h>

namespace tacit {
namespace {

TEST(WholeNumber, IsReadInDigitsAndWithAnExponent) {
  EXPECT_EQ(parse_whole_number("0"), 0);
  EXPECT_EQ(parse_whole_number("-7"), -7);
  EXPECT_EQ(parse_whole_number("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(parse_whole_number("1e9"), 1000000000);
  EXPECT_EQ(parse_whole_number("2.5E3"), 2500);
  EXPECT_EQ(parse_whole_number("9007199254740992e0"), 9007199254740992);
}

TEST(WholeNumber, IsNothingWhereDigitsWouldBeLostOrGuessed) {
  for (const char* text : {"", " 1", "1 ", "1.5", "1.0", "1e-1", "15e-1", "1e16", "1e400",
                           "9223372036854775808", "e3", "nan", "inf", "1e3x", "0x10"})
    EXPECT_EQ(parse_whole_number(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tacit
