#include <algorithm>

#include "algorithm/partition.hpp"
#include "tacit/audit.hpp"
#include "tacit/core.hpp"

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

namespace {

// Records of one user as values, in the order of the file.
using Record = std::pair<double, std::vector<std::pair<std::size_t, double>>>;
std::vector<std::vector<Record>> records_by_user(const Dataset& data) {
  std::vector<std::vector<Record>> users(data.user_count);
  for (std::size_t i = 0; i < data.size(); ++i) {
    Record record{data.labels[i], {}};
    const RowView row = data.features.row(i);
    for (std::size_t k = 0; k < row.size; ++k)
      if (row.values[k] != 0) record.second.emplace_back(row.columns ? row.columns[k] : k, row.values[k]);
    users[data.users[i]].push_back(std::move(record));
  }
  return users;
}

// The same with one user moved behind all others, so that the coins of the others stay the same.
Dataset with_last_user(const Dataset& data, std::size_t last) {
  std::vector<std::size_t> rows;
  for (const bool wanted : {false, true})
    for (std::size_t i = 0; i < data.size(); ++i)
      if ((data.users[i] == last) == wanted) rows.push_back(i);
  Dataset moved = rows_of(data, rows);
  moved.names = data.names;
  moved.classes = data.classes;
  moved.user_count = data.user_count;
  for (const std::size_t i : rows) {
    const std::size_t user = data.users[i];
    moved.users.push_back(
        static_cast<std::uint32_t>(user == last ? data.user_count - 1 : user - (user > last ? 1 : 0)));
  }
  return moved;
}

void require_same_columns(const Dataset& first, const Dataset& second) {
  if (first.features.columns() != second.features.columns() || first.names != second.names)
    throw_error<DataError>(
        "the datasets have different columns; neighbours differ in one user's records only");
  if (first.classes != second.classes)
    throw_error<DataError>(
        "the datasets have different classes; a schema that lists the classes makes them the same");
  if (first.users.size() != first.size() || second.users.size() != second.size())
    throw_error<DataError>("the datasets do not say whose record each one is: name the user column");
}

}  // namespace

NeighbourPair as_user_neighbours(NeighbourPair pair, Neighbours relation) {
  require_same_columns(pair.first, pair.second);
  if (pair.first.user_count < pair.second.user_count) std::swap(pair.first, pair.second);
  const std::size_t users = pair.first.user_count, missing = relation == Neighbours::replace_one ? 0 : 1;
  if (users != pair.second.user_count + missing)
    throw_error<DataError>("the datasets have {} and {} users; under {} neighbours have {}", users,
                           pair.second.user_count, name(relation),
                           missing == 0 ? "as many" : "one more or less");
  const auto a = records_by_user(pair.first), b = records_by_user(pair.second);
  std::size_t differs = 0;
  while (differs < b.size() && a[differs] == b[differs]) ++differs;
  if (missing == 0) differs = std::min(differs, users - 1);  // the same data twice: any user will do
  for (std::size_t u = differs + 1; u < users; ++u)
    if (a[u] != b[u - missing])
      throw_error<DataError>(
          "the datasets differ in more than one user, the first of them {} and {} in the order of their "
          "first "
          "records; neighbours differ in one",
          differs + 1, u + 1);
  return {pair.what, with_last_user(pair.first, differs),
          missing == 0 ? with_last_user(pair.second, differs) : pair.second};
}

NeighbourPair fringe_pair(const LossSpec& loss, std::size_t users) {
  // A power of two, as the slopes at 0 of most losses are: τ is then one of a grid of such.
  constexpr double tau = 0x1p-4;
  const auto* link = std::get_if<Link>(&loss);
  const bool number = link && !facts(*link).classification && link->kind != LinkKind::poisson;
  const double label = number ? 1 : extreme_label(loss, 0);
  const auto place = [&](double last) {
    DenseRows rows{users, 1, std::vector<double>(users)};
    const std::size_t core = 87 * users / 100;  // so that three quarters of all pairs are close
    for (std::size_t k = 0; k < core; ++k)
      rows.values[k] = tau * static_cast<double>(k) / static_cast<double>(core - 1);
    // Near the upper half of the core and near each other: 0.53 of all.
    for (std::size_t k = core; k < users; ++k) rows.values[k] = (2 + 0.54) * tau;
    rows.values[users - 1] = last * tau;
    Dataset data;
    data.features = Features(std::move(rows));
    data.labels.assign(users, label);
    data.target_kind = TargetKind::numeric;
    data.user_count = users;
    for (std::size_t k = 0; k < users; ++k) data.users.push_back(static_cast<std::uint32_t>(k));
    return data;
  };
  return {"a fringe of users who count if the last is near them", place(2), place(-1)};
}

}  // namespace tacit::inline v1::audit
