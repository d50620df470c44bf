#include "data/users.hpp"

#include <algorithm>
#include <limits>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

// splitmix64 [Steele–Lea–Flood 2014]. Privacy does not rest on it: any choice among a user's own records
// does, as long as it looks at no other user.
std::uint64_t next_word(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

UserRecords records_of_users(const Dataset& data) {
  if (data.users.size() != data.size() || data.user_count == 0)
    throw_error<DataError>("{} of {} records say whose they are; every record needs a user",
                           data.users.size(), data.size());
  if (data.size() > std::numeric_limits<std::uint32_t>::max())
    throw_error<DataError>("{} records, expected fewer than 2^32", data.size());
  UserRecords grouped;
  grouped.start.assign(data.user_count + 1, 0);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.users[i] >= data.user_count)
      throw_error<DataError>("record {}: user {}, expected a number below {}", i, data.users[i],
                             data.user_count);
    ++grouped.start[data.users[i] + 1];
  }
  for (std::size_t u = 0; u < data.user_count; ++u) grouped.start[u + 1] += grouped.start[u];
  grouped.record.resize(data.size());
  std::vector<std::size_t> next(grouped.start.begin(), grouped.start.end() - 1);
  for (std::size_t i = 0; i < data.size(); ++i)
    grouped.record[next[data.users[i]]++] = static_cast<std::uint32_t>(i);
  return grouped;
}

UserRecords at_most(const UserRecords& all, std::size_t most, std::span<const std::uint64_t> words) {
  if (most == 0) throw_error<UsageError>("at most 0 records of each user, expected at least 1");
  UserRecords kept;
  std::vector<std::uint32_t> own;
  for (std::size_t u = 0; u < all.users(); ++u) {
    own.assign(all.of(u).begin(), all.of(u).end());
    if (own.size() > most) {
      std::uint64_t state = words[u];
      for (std::size_t k = 0; k < most; ++k) std::swap(own[k], own[k + next_word(state) % (own.size() - k)]);
      own.resize(most);
      std::ranges::sort(own);
    }
    kept.record.insert(kept.record.end(), own.begin(), own.end());
    kept.start.push_back(kept.record.size());
  }
  return kept;
}

}  // namespace tacit::inline v1
