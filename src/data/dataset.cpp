#include "tacit/data.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "tacit/core.hpp"

namespace tacit::inline v1 {

namespace {

void check_finite(const double* values, std::size_t rows, std::size_t columns) {
  for (std::size_t k = 0; k < rows * columns; ++k)
    if (!std::isfinite(values[k]))
      throw_error<DataError>("row {}, column {}: {} is not a finite number (NaN and inf are not taken)",
                             k / columns, k % columns, values[k]);
}

std::size_t values_of(std::size_t rows, std::size_t columns) {
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double);
  if (columns > 0 && rows > most / columns)
    throw_error<DataError>("a dense matrix of {} x {} does not fit into memory", rows, columns);
  return rows * columns;
}

}  // namespace

Features::Features(DenseRows dense) : rows_(dense.rows), columns_(dense.columns) {
  if (const std::size_t values = values_of(dense.rows, dense.columns); dense.values.size() != values)
    throw_error<DataError>("a dense matrix of {} x {} needs {} values, got {}", dense.rows, dense.columns,
                           values, dense.values.size());
  check_finite(dense.values.data(), rows_, columns_);
  data_ = std::move(dense);
}

Features::Features(DenseView dense) : rows_(dense.rows), columns_(dense.columns) {
  if (values_of(dense.rows, dense.columns) > 0 && dense.values == nullptr)
    throw_error<DataError>("a view of {} x {} numbers is of no memory", dense.rows, dense.columns);
  check_finite(dense.values, rows_, columns_);
  data_ = std::move(dense);
}

Features::Features(SparseRows sparse) : rows_(sparse.rows), columns_(sparse.columns) {
  if (sparse.start.size() != sparse.rows + 1 || sparse.start.front() != 0 ||
      sparse.start.back() != sparse.value.size() || sparse.column.size() != sparse.value.size())
    throw_error<DataError>("the arrays of a sparse matrix do not fit each other");
  for (std::size_t i = 0; i < sparse.rows; ++i) {
    if (sparse.start[i] > sparse.start[i + 1] || sparse.start[i + 1] > sparse.value.size())
      throw_error<DataError>("row {}: its entries do not lie within those of the matrix", i);
    for (std::uint64_t k = sparse.start[i]; k < sparse.start[i + 1]; ++k) {
      if (sparse.column[k] >= sparse.columns ||
          (k > sparse.start[i] && sparse.column[k] <= sparse.column[k - 1]))
        throw_error<DataError>("row {}: column {} is out of order or beyond {}", i, sparse.column[k],
                               sparse.columns);
      if (!std::isfinite(sparse.value[k]))
        throw_error<DataError>("row {}, column {}: {} is not a finite number (NaN and inf are not taken)", i,
                               sparse.column[k], sparse.value[k]);
    }
  }
  data_ = std::move(sparse);
}

Features::Features(std::shared_ptr<const RowMaker> maker) {
  if (!maker) throw_error<DataError>("there is nothing that makes the rows");
  rows_ = maker->rows();
  columns_ = maker->columns();
  data_ = std::move(maker);
}

Features::Features(Features&& other) noexcept
    : rows_(std::exchange(other.rows_, 0)),
      columns_(std::exchange(other.columns_, 0)),
      data_(std::exchange(other.data_, DenseRows())) {}

Features& Features::operator=(Features&& other) noexcept {
  if (this == &other) return *this;
  rows_ = std::exchange(other.rows_, 0);
  columns_ = std::exchange(other.columns_, 0);
  data_ = std::exchange(other.data_, DenseRows());
  return *this;
}

const DenseRows& Features::dense_rows() const {
  const auto* dense = std::get_if<DenseRows>(&data_);
  if (dense == nullptr) throw_error<UsageError>("the features are not stored as DenseRows");
  return *dense;
}

const SparseRows& Features::sparse_rows() const {
  const auto* sparse = std::get_if<SparseRows>(&data_);
  if (sparse == nullptr) throw_error<UsageError>("the features are not stored as SparseRows");
  return *sparse;
}

bool Features::sparse() const {
  const auto* maker = std::get_if<std::shared_ptr<const RowMaker>>(&data_);
  return maker ? (*maker)->sparse() : std::holds_alternative<SparseRows>(data_);
}

RowView Features::row(std::size_t i, RowRoom& room) const {
  const auto* maker = std::get_if<std::shared_ptr<const RowMaker>>(&data_);
  return maker ? (*maker)->make(i, room) : row(i);
}

RowView Features::row(std::size_t i) const {
  if (const auto* dense = std::get_if<DenseRows>(&data_))
    return {dense->values.data() + i * columns_, nullptr, columns_};
  if (const auto* view = std::get_if<DenseView>(&data_))
    return {view->values + i * columns_, nullptr, columns_};
  if (!in_memory()) throw_error<UsageError>("the rows of a mapped file do not lie in memory");
  const auto& s = std::get<SparseRows>(data_);
  const std::size_t begin = s.start[i];
  // A matrix without entries has no arrays to point into; its rows are sparse all the same.
  static constexpr std::uint32_t no_columns = 0;
  const std::uint32_t* columns = s.column.empty() ? &no_columns : s.column.data() + begin;
  return {s.value.data() + begin, columns, s.start[i + 1] - begin};
}

}  // namespace tacit::inline v1
