#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "data/csv_cells.hpp"

// Numbers that are read by the short way are bit by bit what fast_float reads.

namespace tacit {
namespace {

// True where the short way took the text.
bool agrees_and_is_plain(const std::string& text) {
  const char *first = text.data(), *last = first + text.size();
  double plain = 0, general = 0;
  const char* const end = read_plain_number(first, last, '.', plain);
  const auto expected = fast_float::from_chars_advanced(first, last, general, number_format('.'));
  if (end == nullptr) return false;
  EXPECT_EQ(expected.ec, std::errc{}) << text;
  EXPECT_EQ(end, expected.ptr) << text;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(plain), std::bit_cast<std::uint64_t>(general)) << text;
  return true;
}

TEST(PlainNumber, IsReadAsTheLibraryReadsIt) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200000; ++round) {
    const std::uint64_t digits = random() % (std::uint64_t{1} << (random() % 50));
    std::string text = std::to_string(digits % 1000000000000000u);
    const std::size_t mark = random() % (text.size() + 1);
    if (mark > 0 && mark < text.size()) text.insert(mark, ".");
    if (random() % 3 == 0) text.insert(0, "-");
    EXPECT_TRUE(agrees_and_is_plain(text)) << text;
  }
}

TEST(PlainNumber, ReadsTheEndsOfWhatItTakes) {
  for (const char* text : {"0", "-0", "-0.0", "000000000000000", "999999999999999", "9.99999999999999",
                           "0.00000000000001", "123456789012345", "1,2", "1.5\n", "1.2.3", "7\r", "5 6"})
    EXPECT_TRUE(agrees_and_is_plain(text)) << text;
}

TEST(PlainNumber, LeavesAllElseToTheLibrary) {
  for (const char* text : {"", "-", ".", ".5", "5.", "-.5", "+1", "1e5", "1.5E3", "1.e5", "nan", "inf",
                           "-inf", "x", "--1", "1234567890123456", "0.123456789012345", "0000000000000001"})
    EXPECT_FALSE(agrees_and_is_plain(text)) << text;
}

// Random texts of the characters that numbers are made of, so that nothing in between is missed.
TEST(PlainNumber, AgreesOnAnyText) {
  std::mt19937_64 random(2);
  constexpr std::string_view characters = "0123456789.-e+ ,9150";
  for (int round = 0; round < 200000; ++round) {
    std::string text;
    for (std::size_t left = random() % 20; left > 0; --left) text += characters[random() % characters.size()];
    agrees_and_is_plain(text);
  }
}

}  // namespace
}  // namespace tacit
