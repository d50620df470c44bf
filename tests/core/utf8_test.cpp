#include "core/utf8.hpp"

#include <gtest/gtest.h>

namespace tacit {
namespace {

TEST(Utf8, AcceptsWhatCanBeRead) {
  for (const char* text : {"", "a b", "\xc3\xa9t\xc3\xa9", "\xe2\x9c\x93", "\xf0\x9f\x99\x82"})
    EXPECT_TRUE(is_plain_utf8(text)) << text;
}

TEST(Utf8, RefusesBrokenOverlongAndInvisibleText) {
  for (const std::string_view text :
       {"\xff", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80",
        "a\nb", "a\x7f", "\xc2\x85", "\xe2\x80\x8b", "\xe2\x80\xae", "\xef\xbb\xbf"})
    EXPECT_FALSE(is_plain_utf8(text));
  EXPECT_FALSE(is_plain_utf8(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace tacit
