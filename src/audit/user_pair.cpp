#include <algorithm>

#include "tacit/algorithm/partition.hpp"
#include "tacit/audit/neighbour_pair.hpp"

namespace tacit::inline v1::audit {

namespace {

// The other records, each a user of its own, then `copies` of the first, which are one more user's.
Dataset with_one_user(const Dataset& data, std::size_t copies) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 1; i < data.size(); ++i) rows.push_back(i);
  rows.insert(rows.end(), copies, 0);
  Dataset users = rows_of(data, rows);
  users.user_count = data.size() - (copies == 0 ? 1 : 0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    users.users.push_back(static_cast<std::uint32_t>(std::min(i, data.size() - 1)));
  return users;
}

}  // namespace

std::vector<NeighbourPair> user_pairs(const std::vector<NeighbourPair>& pairs, Neighbours relation) {
  std::vector<NeighbourPair> result;
  for (const NeighbourPair& pair : pairs) {
    const std::size_t half = std::max<std::size_t>(1, pair.first.size() - 1);
    const Dataset first = with_one_user(pair.first, half);
    if (relation == Neighbours::replace_one) {
      result.push_back({pair.what + " (a user with half of all records, or with one)", first,
                        with_one_user(pair.second, 1)});
      continue;
    }
    result.push_back(
        {pair.what + " (a user with half of all records, or none)", first, with_one_user(pair.first, 0)});
    result.push_back({pair.what + " (a user with the other record, or none)", with_one_user(pair.second, 1),
                      with_one_user(pair.second, 0)});
  }
  return result;
}

}  // namespace tacit::inline v1::audit
