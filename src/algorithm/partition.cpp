#include "algorithm/partition.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "loss/limited.hpp"
#include "noise/coins.hpp"

namespace tacit::inline v1 {

std::size_t draw_below(std::size_t bound, BitSource& bits) { return noise::draw_below(bound, bits); }

std::vector<std::size_t> secret_order(std::size_t n, BitSource& bits) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[draw_below(i, bits)]);
  return order;
}

namespace {

// Some of the rows that do not lie in memory.
class ChosenRows final : public RowMaker {
 public:
  ChosenRows(Features features, std::span<const std::size_t> rows)
      : features_(std::move(features)), rows_(rows.begin(), rows.end()) {}

  std::size_t rows() const override { return rows_.size(); }
  std::size_t columns() const override { return features_.columns(); }
  bool sparse() const override { return features_.sparse(); }
  RowView make(std::size_t i, RowRoom& room) const override { return features_.row(rows_[i], room); }

 private:
  Features features_;
  std::vector<std::size_t> rows_;
};

}  // namespace

namespace {

// Rows, and null ones after them: an entry beyond what a limited loss takes (loss/limited.hpp).
class WithNullRows final : public RowMaker {
 public:
  WithNullRows(Features features, std::size_t rows) : features_(std::move(features)), rows_(rows) {}

  std::size_t rows() const override { return rows_; }
  std::size_t columns() const override { return features_.columns(); }
  bool sparse() const override { return features_.sparse(); }
  RowView make(std::size_t i, RowRoom& room) const override {
    if (i < features_.rows()) return features_.row(i, room);
    room.values.assign(sparse() ? std::min<std::size_t>(columns(), 1) : columns(), null_entry);
    room.columns.assign(1, 0);
    return {room.values.data(), sparse() ? room.columns.data() : nullptr, room.values.size()};
  }

 private:
  // In any units that are chosen privately, too.
  static constexpr double null_entry = 0x1p1000;
  static_assert(null_entry > largest_row_entry);

  Features features_;
  std::size_t rows_;
};

}  // namespace

Dataset with_null_rows(Dataset data, std::size_t places) {
  const std::size_t own = data.size();
  if (data.shards || own >= places) return data;
  if (data.features.columns() == 0) {
    if (data.weights.empty()) data.weights.assign(own, 1);
    data.weights.resize(places, 0);
  } else if (!data.weights.empty()) {
    data.weights.resize(places, 1);
  }
  data.labels.resize(places, 1);  // of every loss
  data.features = Features(std::make_shared<const WithNullRows>(std::move(data.features), places));
  return data;
}

Dataset rows_of(const Dataset& data, std::span<const std::size_t> rows) {
  Dataset part;
  part.target_kind = data.target_kind;
  for (const std::size_t i : rows) part.labels.push_back(data.labels[i]);
  if (!data.weights.empty())
    for (const std::size_t i : rows) part.weights.push_back(data.weights[i]);
  if (!data.features.in_memory()) {
    part.features = Features(std::make_shared<const ChosenRows>(data.features, rows));
    return part;
  }
  const std::size_t columns = data.features.columns();
  if (data.features.sparse()) {
    SparseRows out{.rows = rows.size(), .columns = columns};
    for (const std::size_t i : rows) {
      const RowView row = data.features.row(i);
      out.column.insert(out.column.end(), row.columns, row.columns + row.size);
      out.value.insert(out.value.end(), row.values, row.values + row.size);
      out.start.push_back(out.value.size());
    }
    part.features = Features(std::move(out));
  } else {
    DenseRows out{rows.size(), columns, {}};
    out.values.reserve(rows.size() * columns);
    for (const std::size_t i : rows) {
      const RowView row = data.features.row(i);
      out.values.insert(out.values.end(), row.values, row.values + row.size);
    }
    part.features = Features(std::move(out));
  }
  return part;
}

}  // namespace tacit::inline v1
