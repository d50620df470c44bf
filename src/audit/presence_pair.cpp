#include <algorithm>
#include <numeric>

#include "audit/same_record.hpp"
#include "tacit/audit.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::audit {

namespace {

// The records with these numbers, in this order.
Dataset select(const Dataset& data, const std::vector<std::size_t>& records) {
  SparseRows sparse{.rows = records.size(), .columns = data.features.columns()};
  DenseRows dense{records.size(), data.features.columns(), {}};
  Dataset result = data;
  result.labels.clear();
  result.weights.clear();
  for (const std::size_t i : records) {
    const RowView row = data.features.row(i);
    result.labels.push_back(data.labels[i]);
    if (!data.weights.empty()) result.weights.push_back(data.weights[i]);
    if (!data.features.sparse()) {
      dense.values.insert(dense.values.end(), row.values, row.values + row.size);
      continue;
    }
    sparse.value.insert(sparse.value.end(), row.values, row.values + row.size);
    sparse.column.insert(sparse.column.end(), row.columns, row.columns + row.size);
    sparse.start.push_back(sparse.value.size());
  }
  result.features = data.features.sparse() ? Features(std::move(sparse)) : Features(std::move(dense));
  return result;
}

// All records but one, then that one, or not.
NeighbourPair with_and_without(std::string what, const Dataset& data, std::size_t record) {
  std::vector<std::size_t> order(data.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto one = order.begin() + static_cast<std::ptrdiff_t>(record);
  std::rotate(one, one + 1, order.end());
  Dataset all = select(data, order);
  order.pop_back();
  return {std::move(what), std::move(all), select(data, order)};
}

}  // namespace

std::vector<NeighbourPair> presence_pairs(const std::vector<NeighbourPair>& pairs) {
  std::vector<NeighbourPair> result;
  for (const NeighbourPair& pair : pairs) {
    result.push_back(with_and_without(pair.what + " (the one, or none)", pair.first, 0));
    result.push_back(with_and_without(pair.what + " (the other, or none)", pair.second, 0));
  }
  return result;
}

NeighbourPair as_neighbours(NeighbourPair pair, Neighbours relation) {
  if (relation == Neighbours::replace_one) {
    require_neighbours(pair.first, pair.second);
    return pair;
  }
  if (pair.first.size() < pair.second.size()) std::swap(pair.first, pair.second);
  if (pair.first.size() != pair.second.size() + 1)
    throw_error<DataError>("the datasets have {} and {} records; under {} neighbours have one more or less{}",
                           pair.first.size(), pair.second.size(), name(relation),
                           pair.first.size() == pair.second.size()
                               ? " (replace_one is for a record in the place of another)"
                               : "");
  std::size_t extra = 0;
  while (extra < pair.second.size() && same_record(pair.first, pair.second, extra)) ++extra;
  NeighbourPair found = with_and_without(pair.what, pair.first, extra);
  require_neighbours(found.second, pair.second);
  for (std::size_t i = 0; i < pair.second.size(); ++i)
    if (!same_record(found.second, pair.second, i))
      throw_error<DataError>("without record {} the datasets still differ in record {}; neighbours do not",
                             extra + 1, i + 1);
  return found;
}

}  // namespace tacit::inline v1::audit
