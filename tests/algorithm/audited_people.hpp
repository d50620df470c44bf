#pragma once

// People and their records, for audits of statistics.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "algorithm/statistics/table.hpp"
#include "support/release_audit.hpp"

namespace tacit::testing {

inline constexpr double no_cell = std::numeric_limits<double>::quiet_NaN();

// Whose records they are: one each where records are protected.
template <class Record>
using Holdings = std::vector<std::vector<Record>>;

template <class Record>
std::vector<std::int64_t> weights_among(const Holdings<Record>& people, Unit unit) {
  Dataset data;
  for (std::size_t k = 0; k < people.size(); ++k)
    data.users.insert(data.users.end(), people[k].size(), static_cast<std::uint32_t>(k));
  data.user_count = people.size();
  data.features = Features(DenseRows{.rows = data.users.size(), .columns = 0, .values = {}});
  return statistics::weights_of(data, unit);
}

// One record, or as many of them as a person has.
template <class Record>
std::vector<Record> held(Unit unit, const Record& record, std::size_t records = 3) {
  return std::vector<Record>(unit == Unit::user ? records : 1, record);
}

// Those who do not differ, and then 0, 1 or 2 who do.
template <class Record>
std::array<Holdings<Record>, 3> three_datasets(const Holdings<Record>& others, Neighbours relation,
                                               const std::vector<Record>& one,
                                               const std::vector<Record>& other) {
  std::array<Holdings<Record>, 3> all{others, others, others};
  for (int differ = 0; differ < 3; ++differ)
    for (const auto& unit : differing_units(relation, differ, one, other))
      all[static_cast<std::size_t>(differ)].push_back(unit);
  return all;
}

inline std::optional<std::size_t> public_units(Neighbours relation, std::size_t others) {
  if (relation == Neighbours::add_remove) return std::nullopt;
  return others + 2;
}

}  // namespace tacit::testing
