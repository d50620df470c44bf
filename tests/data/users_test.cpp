#include "data/users.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tacit/core.hpp"

namespace tacit {
namespace {

Dataset with_users(std::vector<std::uint32_t> users, std::size_t count) {
  Dataset data;
  data.features = Features(DenseRows{users.size(), 1, std::vector<double>(users.size())});
  data.users = std::move(users);
  data.user_count = count;
  return data;
}

std::vector<std::uint32_t> list(const UserRecords& records, std::size_t user) {
  return {records.of(user).begin(), records.of(user).end()};
}

TEST(UserRecords, GroupInTheOrderOfTheFile) {
  const UserRecords records = records_of_users(with_users({2, 0, 2, 1, 2, 0}, 4));
  ASSERT_EQ(records.users(), 4u);
  EXPECT_EQ(list(records, 0), (std::vector<std::uint32_t>{1, 5}));
  EXPECT_EQ(list(records, 1), (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(list(records, 2), (std::vector<std::uint32_t>{0, 2, 4}));
  EXPECT_TRUE(records.of(3).empty());
}

TEST(UserRecords, NeedAUserForEveryRecord) {
  EXPECT_THROW(records_of_users(with_users({0, 5}, 2)), DataError);
  Dataset nobody = with_users({0, 0}, 1);
  nobody.users.clear();
  EXPECT_THROW(records_of_users(nobody), DataError);
}

TEST(AtMost, KeepsOnlyOnesOwnRecordsAndNoneTwice) {
  std::vector<std::uint32_t> users;
  for (std::uint32_t i = 0; i < 300; ++i) users.push_back(i % 3 == 0 ? 0 : 1 + i % 7);
  const UserRecords all = records_of_users(with_users(users, 8));
  const std::vector<std::uint64_t> words{1, 2, 3, 4, 5, 6, 7, 8};
  const UserRecords kept = at_most(all, 20, words);
  for (std::size_t u = 0; u < 8; ++u) {
    const auto own = list(kept, u);
    EXPECT_EQ(own.size(), std::min<std::size_t>(20, all.of(u).size()));
    EXPECT_EQ(std::set(own.begin(), own.end()).size(), own.size());
    for (const auto record : own) EXPECT_EQ(users[record], u);
  }
}

// What is kept of a user must not change with what others hold.
TEST(AtMost, LooksAtNoOtherUser) {
  const Dataset one = with_users({0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, 2), other = with_users({0, 0, 0, 0, 1}, 2);
  const std::vector<std::uint64_t> words{77, 78};
  EXPECT_EQ(list(at_most(records_of_users(one), 2, words), 0),
            list(at_most(records_of_users(other), 2, words), 0));
}

// 6 of 10 records, 20000 words: each record is kept 12000 times; 6 standard deviations are 416.
TEST(AtMost, ChoosesEveryRecordAlikeOften) {
  const UserRecords all = records_of_users(with_users(std::vector<std::uint32_t>(10, 0), 1));
  std::vector<int> seen(10);
  for (std::uint64_t word = 0; word < 20000; ++word)
    for (const auto record : list(at_most(all, 6, {&word, 1}), 0)) ++seen[record];
  for (const int count : seen) EXPECT_NEAR(count, 12000, 416);
}

}  // namespace
}  // namespace tacit
