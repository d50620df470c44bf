#include "data/csv_rows.hpp"

#include "core/large_array.hpp"
#include "tacit/core.hpp"

namespace tacit::inline v1 {

CsvRows::CsvRows(const CsvPlan& plan, std::size_t row_count)
    : count(row_count), values(large_array(count * (plan.sparse ? plan.slots : plan.features))) {
  if (plan.sparse) columns.resize(count * plan.slots);
  if (plan.target.kind != TargetKind::none) labels.resize(count);
  if (plan.has_user) users.resize(count);
}

Features features_of(const CsvPlan& plan, CsvRows& rows) {
  if (!plan.sparse) return Features(DenseRows{rows.count, plan.features, std::move(rows.values)});
  SparseRows sparse{rows.count, plan.features, {}, std::move(rows.columns), std::move(rows.values)};
  sparse.start.resize(rows.count + 1);
  for (std::size_t i = 0; i <= rows.count; ++i) sparse.start[i] = i * plan.slots;
  return Features(std::move(sparse));
}

RowWriter::RowWriter(const CsvPlan& plan, CsvRows& rows) : plan_(plan), rows_(rows) {
  if (plan.sparse) return;
  columns_.resize(plan.slots);
  values_.resize(plan.slots);
}

void RowWriter::begin(std::size_t row) {
  row_ = row;
  const std::size_t at = row * plan_.slots;
  entries_ = plan_.sparse ? EncodedRow{rows_.columns.data() + at, rows_.values.data() + at}
                          : EncodedRow{columns_.data(), values_.data()};
}

void RowWriter::end() {
  if (!plan_.encoder) return;
  plan_.encoder->encode_pairs(entries_);
  if (plan_.sparse) return;
  double* const row = rows_.values.data() + row_ * plan_.features;
  for (std::size_t k = 0; k < plan_.slots; ++k) row[columns_[k]] = values_[k];
}

}  // namespace tacit::inline v1
