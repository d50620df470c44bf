#include "ledger/lock.hpp"

#include <gtest/gtest.h>

#include "tacit/core.hpp"

namespace tacit::inline v1 {
namespace {

const std::string key(64, '0');

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

// [McGrew & Viega 2005, Galois/Counter Mode, test cases 13 and 14]
TEST(Lock, IsAesGcmAsPublished) {
  EXPECT_EQ(lock_text("", key, ""), bytes({0x53, 0x0f, 0x8a, 0xfb, 0xc7, 0x45, 0x36, 0xb9, 0xa9, 0x63, 0xb4,
                                           0xf1, 0xc4, 0xcb, 0x73, 0x8b}));
  EXPECT_EQ(lock_text(std::string(16, '\0'), key, ""),
            bytes({0xce, 0xa7, 0x40, 0x3d, 0x4d, 0x60, 0x6b, 0x6e, 0x07, 0x4e, 0xc5,
                   0xd3, 0xba, 0xf3, 0x9d, 0x18, 0xd0, 0xd1, 0xc8, 0xa7, 0x99, 0x99,
                   0x6b, 0xf0, 0x26, 0x5b, 0x98, 0xb5, 0xd4, 0x8a, 0xb9, 0x19}));
}

TEST(Lock, GivesBackWhatWasLocked) {
  const std::string text("a\0b\n\xff", 5);
  EXPECT_EQ(unlock_text(lock_text(text, key, "label"), key, "label"), text);
}

TEST(Lock, NoticesEveryChange) {
  const std::string locked = lock_text("some state", key, "label");
  for (std::size_t i = 0; i < locked.size(); ++i) {
    std::string changed = locked;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THROW(unlock_text(changed, key, "label"), DataError);
  }
  std::string other = key;
  other[0] = '1';
  EXPECT_THROW(unlock_text(locked, other, "label"), DataError);
  EXPECT_THROW(unlock_text(locked, key, "another"), DataError);
  EXPECT_THROW(unlock_text(locked.substr(0, 5), key, "label"), DataError);
  EXPECT_THROW(unlock_text(locked, "abc", "label"), DataError);
  EXPECT_THROW(unlock_text(locked, std::string(64, 'x'), "label"), DataError);
}

}  // namespace
}  // namespace tacit::inline v1
