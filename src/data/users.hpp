#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/core.hpp"
#include "tacit/data.hpp"

namespace tacit::inline v1 {

// Which records belong to whom: those of user u are record[start[u]] … record[start[u+1] − 1], in the order
// of the file.
struct UserRecords {
  std::vector<std::size_t> start{0};
  std::vector<std::uint32_t> record;

  std::size_t users() const { return start.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t user) const {
    return std::span(record).subspan(start[user], start[user + 1] - start[user]);
  }
};

// Wherever records come from.
inline constexpr std::string_view empty_user_id =
    "the user id is empty; give the record one, or leave it out of the data";

// Throws DataError unless every record has a user below data.user_count.
TACIT_API UserRecords records_of_users(const Dataset& data);

// At most `most` records of each user: where there are more, a random choice made from the user's own word,
// so that what is kept of a user depends on nobody else. One word for each user.
TACIT_API UserRecords at_most(const UserRecords& all, std::size_t most, std::span<const std::uint64_t> words);

}  // namespace tacit::inline v1
