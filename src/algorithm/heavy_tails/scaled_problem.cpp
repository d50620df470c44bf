#include "algorithm/heavy_tails/scaled_problem.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "tacit/core.hpp"

namespace tacit::inline v1::heavy_tails {

namespace {

constexpr double largest_value = 0x1p300;

double clamped(double x) { return std::clamp(x, -largest_value, largest_value); }

}  // namespace

// Equal exponents are written once.
void Units::record(Facts& facts) const {
  std::string text;
  const bool alike = std::ranges::adjacent_find(exponents, std::not_equal_to()) == exponents.end();
  for (const int e : exponents) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", e);
    if (alike) break;
  }
  facts.set("feature_exponents", text);
  facts.set("label_offset", label_offset);
  facts.set("label_scale", label_scale);
}

Units Units::from(const Facts& facts) {
  Units units;
  const std::string& text = facts.text("feature_exponents");
  for (const char* at = text.data(); at < text.data() + text.size(); ++at) {
    int exponent = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), exponent);
    if (error != std::errc())
      throw_error<VerificationError>("the feature exponents are \"{}\", expected whole numbers", text);
    units.exponents.push_back(exponent);
    at = end;
  }
  units.label_offset = facts.number("label_offset");
  units.label_scale = facts.number("label_scale");
  return units;
}

RowView scaled_row(const RowView& row, const Units& units, std::vector<double>& values) {
  values.resize(row.size);
  for (std::size_t k = 0; k < row.size; ++k)
    values[k] = clamped(std::ldexp(row.values[k], -units.exponents[row.columns ? row.columns[k] : k]));
  return {values.data(), row.columns, row.size};
}

double scaled_label(double y, const Units& units) {
  return clamped((y - units.label_offset) / units.label_scale);
}

namespace {

// Rows that are scaled when they are made.
class ScaledRows final : public RowMaker {
 public:
  ScaledRows(Features features, Units units) : features_(std::move(features)), units_(std::move(units)) {}

  std::size_t rows() const override { return features_.rows(); }
  std::size_t columns() const override { return features_.columns(); }
  bool sparse() const override { return features_.sparse(); }
  RowView make(std::size_t i, RowRoom& room) const override {
    thread_local RowRoom inner;
    const RowView row = features_.row(i, inner);
    if (row.columns) room.columns.assign(row.columns, row.columns + row.size);
    return {scaled_row(row, units_, room.values).values, row.columns ? room.columns.data() : nullptr,
            row.size};
  }

 private:
  Features features_;
  Units units_;
};

}  // namespace

Dataset scaled(const Dataset& data, const Units& units) {
  Dataset result;
  result.target_kind = data.target_kind;
  result.classes = data.classes;
  result.weights = data.weights;
  for (const double y : data.labels) result.labels.push_back(scaled_label(y, units));
  if (!data.features.in_memory()) {
    result.features = Features(std::make_shared<const ScaledRows>(data.features, units));
    return result;
  }
  std::vector<double> values, row;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const RowView scaled = scaled_row(data.features.row(i), units, row);
    values.insert(values.end(), scaled.values, scaled.values + scaled.size);
  }
  if (data.features.sparse()) {
    SparseRows rows = data.features.sparse_rows();
    rows.value = std::move(values);
    result.features = Features(std::move(rows));
  } else {
    result.features = Features(DenseRows{data.features.rows(), data.features.columns(), std::move(values)});
  }
  return result;
}

Vector unscaled(const Vector& parameters, const Units& units, const Shape& shape) {
  const std::size_t columns = shape.features - (shape.intercept != 0 ? 1 : 0);
  Vector result = parameters;
  for (std::size_t k = 0; k < shape.outputs; ++k)
    for (std::size_t j = 0; j < columns; ++j) {
      double& w = result[static_cast<Eigen::Index>(k * shape.features + j)];
      w = std::ldexp(w, -units.exponents[units.exponents.size() == 1 ? 0 : j]);
    }
  return result;
}

double entry(const RowView& row, std::size_t j) {
  if (row.columns == nullptr) return row.values[j];
  const auto* end = row.columns + row.size;
  const auto* at = std::lower_bound(row.columns, end, j);
  return at != end && *at == j ? row.values[at - row.columns] : 0;
}

}  // namespace tacit::inline v1::heavy_tails
