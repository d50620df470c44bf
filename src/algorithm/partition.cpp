#include "algorithm/partition.hpp"

#include <memory>
#include <numeric>
#include <utility>

namespace tacit::inline v1 {

std::size_t draw_below(std::size_t bound, BitSource& bits) {
  const std::uint64_t reject = -bound % bound;  // 2^64 mod bound: words below it would favour small results
  for (;;) {
    std::uint64_t word = 0;
    bits.fill({&word, 1});
    if (word >= reject) return word % bound;
  }
}

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
