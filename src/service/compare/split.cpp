#include "service/compare/split.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "algorithm/partition.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1::service {

Split draw_split(const Dataset& data, double held_out, BitSource& bits) {
  const std::size_t units = data.users.empty() ? data.size() : data.user_count;
  const auto away = static_cast<std::size_t>(std::llround(held_out * static_cast<double>(units)));
  if (away == 0 || away >= units)
    throw_error<DataError>("{} of {} cannot be held out: both parts need at least one", held_out, units);
  std::vector<bool> tested(units, false);
  const std::vector<std::size_t> order = secret_order(units, bits);
  for (std::size_t k = 0; k < away; ++k) tested[order[k]] = true;
  Split split;
  for (std::size_t i = 0; i < data.size(); ++i)
    (tested[data.users.empty() ? i : data.users[i]] ? split.test : split.train).push_back(i);
  return split;
}

Dataset part_of(const Dataset& data, std::span<const std::size_t> rows) {
  Dataset part = rows_of(data, rows);
  part.classes = data.classes;
  part.names = data.names;
  if (data.users.empty()) return part;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers;
  part.users.clear();
  for (const std::size_t i : rows)
    part.users.push_back(
        numbers.try_emplace(data.users[i], static_cast<std::uint32_t>(numbers.size())).first->second);
  part.user_count = numbers.size();
  return part;
}

double metric_of_constant(const Dataset& data, const Split& split) {
  const auto tested = static_cast<double>(split.test.size());
  if (data.target_kind == TargetKind::classes) {
    std::vector<std::size_t> count(data.classes.size(), 0);
    for (const std::size_t i : split.train) ++count[static_cast<std::size_t>(data.labels[i])];
    const auto most = static_cast<double>(std::ranges::max_element(count) - count.begin());
    const auto right =
        std::ranges::count_if(split.test, [&](std::size_t i) { return data.labels[i] == most; });
    return static_cast<double>(right) / tested;
  }
  double mean = 0, squares = 0;
  for (const std::size_t i : split.train) mean += data.labels[i] / static_cast<double>(split.train.size());
  for (const std::size_t i : split.test) squares += (data.labels[i] - mean) * (data.labels[i] - mean);
  return std::sqrt(squares / tested);
}

}  // namespace tacit::inline v1::service
